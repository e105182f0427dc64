/** What every dataset of a context shares. */
import type { Engine } from '../exec/engine.js';
import type { FunctionShipper } from '../exec/function/ship-function.js';
import type { Lineage } from '../plan/lineage.js';

export interface Session {
  readonly engine: Engine;
  readonly lineage: Lineage;
  readonly shipper: FunctionShipper;
}
