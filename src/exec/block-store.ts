/**
 * Who owns blocks between stages and jobs: cached partitions, kept materialisations, and shuffle outputs. Lives on the
 * driver; executors hold none of it. Jobs pin what they read, so that `unpersist` and eviction never pull memory from
 * under a task. Shuffle outputs of finished jobs stay for reuse while they fit a share of the budget, oldest out first.
 */
import { Map as ImmutableMap } from 'immutable';
import type { Block } from '../column/block.js';
import type { MemoryManager } from '../memory/memory-manager.js';
import type { Range } from '../memory/range.js';
import type { Materialized } from '../plan/lineage.js';

/** Share of the budget that shuffle outputs may hold after their jobs. */
const RETAINED_SHARE = 1 / 8;

/** A block with the range that owns its bytes. */
export interface OwnedBlock {
  readonly block: Block;
  readonly range: Range;
}

/** What one map task wrote: a block for each reduce partition (undefined: no rows), in one range. */
export interface MapOutput {
  readonly blocks: readonly (Block | undefined)[];
  readonly range: Range | undefined;
}

interface Shuffle {
  outputs: ImmutableMap<number, MapOutput>;
  pins: number;
}

export class BlockStore {
  readonly #memory: MemoryManager;
  /** Nodes whose partitions are to be kept. */
  readonly #cachedNodes = new Set<number>();
  #blocks = ImmutableMap<number, ImmutableMap<number, OwnedBlock>>();
  readonly #materialized = new Map<
    number,
    { readonly materialized: Materialized; readonly ranges: readonly Range[] }
  >();
  /** In the order of last use. */
  readonly #shuffles = new Map<number, Shuffle>();

  constructor(memory: MemoryManager) {
    this.#memory = memory;
    memory.onPressure = () => this.#evictOldest();
  }

  isCached(nodeId: number): boolean {
    return this.#cachedNodes.has(nodeId);
  }

  cache(nodeId: number): void {
    this.#cachedNodes.add(nodeId);
  }

  /** Forgets a node's blocks; jobs that pinned them go on. */
  unpersist(nodeId: number): void {
    this.#cachedNodes.delete(nodeId);
    for (const owned of this.#blocks.get(nodeId)?.values() ?? []) this.#memory.release(owned.range);
    this.#blocks = this.#blocks.delete(nodeId);
    for (const range of this.#materialized.get(nodeId)?.ranges ?? []) this.#memory.release(range);
    this.#materialized.delete(nodeId);
  }

  /** The node's cached partitions, pinned: the caller releases each range. */
  pinBlocks(nodeId: number): ImmutableMap<number, OwnedBlock> {
    const blocks = this.#blocks.get(nodeId) ?? ImmutableMap<number, OwnedBlock>();
    for (const owned of blocks.values()) this.#memory.retain(owned.range);
    return blocks;
  }

  /** Takes over a partition's block; if the node is not cached any more, or has it already, the range is released. */
  putBlock(nodeId: number, partition: number, owned: OwnedBlock): boolean {
    if (!this.#cachedNodes.has(nodeId) || this.#blocks.hasIn([nodeId, partition])) {
      this.#memory.release(owned.range);
      return false;
    }
    const blocks = this.#blocks.get(nodeId) ?? ImmutableMap<number, OwnedBlock>();
    this.#blocks = this.#blocks.set(nodeId, blocks.set(partition, owned));
    return true;
  }

  /** A kept materialisation, its ranges pinned: the caller releases them. */
  pinMaterialized(nodeId: number): { materialized: Materialized; ranges: readonly Range[] } | undefined {
    const kept = this.#materialized.get(nodeId);
    for (const range of kept?.ranges ?? []) this.#memory.retain(range);
    return kept;
  }

  /** Keeps a materialisation (its own reference to each range) if the node is cached and has none yet. */
  putMaterialized(nodeId: number, materialized: Materialized, ranges: readonly Range[]): void {
    if (!this.#cachedNodes.has(nodeId) || this.#materialized.has(nodeId)) return;
    for (const range of ranges) this.#memory.retain(range);
    this.#materialized.set(nodeId, { materialized, ranges });
  }

  /** Protects a shuffle's outputs until `unpinShuffle`. */
  pinShuffle(shuffleId: number): void {
    const shuffle = this.#shuffles.get(shuffleId) ?? { outputs: ImmutableMap<number, MapOutput>(), pins: 0 };
    shuffle.pins += 1;
    this.#shuffles.delete(shuffleId);
    this.#shuffles.set(shuffleId, shuffle);
  }

  unpinShuffle(shuffleId: number): void {
    const shuffle = this.#shuffles.get(shuffleId);
    if (shuffle === undefined) return;
    shuffle.pins -= 1;
    this.#trim();
  }

  mapOutputs(shuffleId: number): ImmutableMap<number, MapOutput> {
    return this.#shuffles.get(shuffleId)?.outputs ?? ImmutableMap<number, MapOutput>();
  }

  putMapOutput(shuffleId: number, partition: number, output: MapOutput): void {
    const shuffle = this.#shuffles.get(shuffleId);
    if (shuffle === undefined || shuffle.outputs.has(partition)) {
      if (output.range !== undefined) this.#memory.release(output.range);
      return;
    }
    shuffle.outputs = shuffle.outputs.set(partition, output);
  }

  /** Releases everything. */
  clear(): void {
    for (const nodeId of [...this.#cachedNodes]) this.unpersist(nodeId);
    for (const [shuffleId, shuffle] of [...this.#shuffles]) this.#drop(shuffleId, shuffle);
  }

  #trim(): void {
    let retained = 0;
    const idle = [...this.#shuffles].filter(([, shuffle]) => shuffle.pins === 0);
    for (const [, shuffle] of idle) retained += bytesOf(shuffle);
    for (const [shuffleId, shuffle] of idle) {
      if (retained <= this.#memory.budgetBytes * RETAINED_SHARE) return;
      retained -= bytesOf(shuffle);
      this.#drop(shuffleId, shuffle);
    }
  }

  #evictOldest(): boolean {
    for (const [shuffleId, shuffle] of this.#shuffles) {
      if (shuffle.pins > 0 || bytesOf(shuffle) === 0) continue;
      this.#drop(shuffleId, shuffle);
      return true;
    }
    return false;
  }

  #drop(shuffleId: number, shuffle: Shuffle): void {
    this.#shuffles.delete(shuffleId);
    for (const output of shuffle.outputs.values()) {
      if (output.range !== undefined) this.#memory.release(output.range);
    }
  }
}

function bytesOf(shuffle: Shuffle): number {
  return shuffle.outputs.reduce((sum, output) => sum + (output.range?.length ?? 0), 0);
}
