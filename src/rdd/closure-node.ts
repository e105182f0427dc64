/** `transitiveClosure` as a lineage node, and what is remembered of its runs. */
import { inspect } from 'node:util';
import { OptionError, StateError } from '../errors.js';
import { checkSignal, closureSettings, type ClosureOptions } from '../options.js';
import type { PlanNode, ProcedureNode } from '../plan/lineage.js';
import { runClosure } from '../recursion/closure.js';
import { describeClosure } from '../recursion/describe.js';
import { checkQuestion } from '../recursion/planner.js';
import type { PartialRunReport, RoundReport, RunReport } from '../recursion/report.js';
import { RunRecord } from '../recursion/run-record.js';
import type { Session } from './session.js';

/** Options of a recursion, its relations aside. */
export interface RecursionOptions<K> extends ClosureOptions {
  /** Only paths that start at these keys. A key that occurs nowhere has none (with `reflexive`, itself). Default: all. */
  readonly from?: Iterable<K>;
  /** Ends every run of the recursion: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called on the driver after each round of each run, and awaited. What it throws fails the run. */
  readonly onRound?: (round: RoundReport) => unknown;
}

/** How to ask a recursion about its runs. */
export interface Recursion {
  /** Of the latest run that has ended by itself. */
  report(): RunReport;
  /** Of the latest run, wherever it is or was stopped. */
  partialReport(): RunReport | PartialRunReport;
}

export function closureNode<K>(
  session: Session,
  know: PlanNode,
  base: PlanNode | undefined,
  options: RecursionOptions<K>,
): { readonly node: ProcedureNode; readonly recursion: Recursion } {
  const { from, signal, onRound, ...plain } = options;
  checkSignal(signal, 'transitiveClosure');
  if (from !== undefined && (typeof from === 'string' || !(Symbol.iterator in Object(from)))) {
    throw new OptionError(`transitiveClosure: from is ${inspect(from)}; expected an array or set of keys`, {
      option: 'from',
    });
  }
  if (onRound !== undefined && typeof onRound !== 'function') {
    throw new OptionError('transitiveClosure: onRound must be a function', { option: 'onRound' });
  }
  const settings = closureSettings(plain, session.engine.settings.partitions, [
    'from',
    'base',
    'signal',
    'onRound',
  ]);
  const seeds = from === undefined ? undefined : Object.freeze([...from]);
  const query = { know, base, from: seeds, settings };
  checkQuestion(query);
  let latest: RunRecord | undefined;
  let finished: RunRecord | undefined;
  const node = session.lineage.procedure('transitiveClosure', {
    detail: '',
    partitionCount: settings.partitions,
    parents: base === undefined ? [know] : [know, base],
    cacheAs: 'materialized',
    materialize: async (scope) => {
      const record = new RunRecord(settings, scope.threads, scope.peakBytes);
      latest = record;
      const materialized = await runClosure(scope, query, record, { signal, onRound });
      finished = record;
      return materialized;
    },
    describe: () => describeClosure(query, finished?.plan, finished?.filterSwitches ?? []),
  });
  const partialReport = (): RunReport | PartialRunReport => {
    if (latest === undefined) {
      throw new StateError(
        'partialReport: the recursion has not run yet; start an action on it first, such as count()',
      );
    }
    return latest === finished ? latest.report() : latest.partial();
  };
  const report = (): RunReport => {
    if (finished === undefined) {
      throw new StateError(
        'report: the recursion has not run to its end yet; await an action on it first, such as count()',
      );
    }
    return finished.report();
  };
  return { node, recursion: { report, partialReport } };
}
