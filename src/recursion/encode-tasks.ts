/**
 * Dictionary encoding of relations: each partition encodes its own rows with a dictionary of its own, then one task merges
 * the dictionaries in partition order, so that ids follow first appearance in the input whatever the number of threads.
 */
import { DictionaryBuilder, DictionaryReader, type DictionaryBlock } from '../column/dictionary.js';
import { PipelineRun, type PipelineResult } from '../exec/pipeline-run.js';
import { pair } from '../exec/pipeline-steps.js';
import type { TaskContext } from '../exec/task-runner.js';
import type { Range } from '../memory/range.js';
import type { Pipeline } from '../plan/pipeline.js';
import type { PairRun } from './pair-run.js';

/** One partition of a relation, in ids of its own. */
export interface EncodedPartition {
  readonly dictionary: DictionaryBlock;
  readonly codes: PairRun;
}

/** Pairs in the first buffer for codes; it doubles. */
const FIRST_PAIRS = 1024;

export function* encodeRelation(
  args: { readonly pipeline: Pipeline; readonly relation: string },
  context: TaskContext,
): Generator<void, PipelineResult<EncodedPartition>> {
  const { allocator, views } = context;
  const run = new PipelineRun(context);
  const dictionary = new DictionaryBuilder(allocator, views);
  let range = allocator.allocate(FIRST_PAIRS * 8);
  let codes = views.u32(range);
  let count = 0;
  for (const batch of run.batches(args.pipeline)) {
    while (count + batch.length > codes.length / 2) {
      const larger = allocator.allocate(codes.length * 8);
      const target = views.u32(larger);
      target.set(codes);
      allocator.release(range);
      range = larger;
      codes = target;
    }
    for (const row of batch) {
      const [source, target] = pair(row, args.relation);
      codes[count * 2] = dictionary.idOf(source);
      codes[count * 2 + 1] = dictionary.idOf(target);
      count += 1;
    }
    yield;
  }
  const block = dictionary.finish();
  return run.result({ dictionary: block, codes: { range: allocator.trim(range, count * 8), count } });
}

/** Keys whose ids are needed though no relation may hold them: seeds. */
export function* encodeKeys(
  args: { readonly pipeline: Pipeline },
  context: TaskContext,
): Generator<void, PipelineResult<EncodedPartition>> {
  const { allocator, views } = context;
  const run = new PipelineRun(context);
  const dictionary = new DictionaryBuilder(allocator, views);
  for (const batch of run.batches(args.pipeline)) {
    for (const key of batch) dictionary.idOf(key);
    yield;
  }
  const block = dictionary.finish();
  const codes = { range: allocator.allocate(0), count: 0 };
  return run.result({ dictionary: block, codes });
}

export interface MergedDictionary {
  readonly dictionary: DictionaryBlock;
  /** For each dictionary given: its ids → merged ids, u32. */
  readonly remaps: readonly Range[];
  /** Merged ids after each dictionary: those that appeared in it or before. */
  readonly counts: readonly number[];
}

/** Keys between two yields. */
const MERGE_CHUNK = 1 << 13;

export function* mergeDictionaries(
  args: { readonly dictionaries: readonly DictionaryBlock[] },
  context: TaskContext,
): Generator<void, MergedDictionary> {
  const { allocator, views } = context;
  const merged = new DictionaryBuilder(allocator, views);
  const remaps: Range[] = [];
  const counts: number[] = [];
  for (const block of args.dictionaries) {
    const reader = new DictionaryReader(block, views);
    const range = allocator.allocate(reader.count * 4);
    const remap = views.u32(range);
    for (let id = 0; id < reader.count; id++) {
      remap[id] = merged.idOfBytes(reader.keyBytes(id));
      if (id % MERGE_CHUNK === 0) yield;
    }
    remaps.push(range);
    counts.push(merged.count);
  }
  return { dictionary: merged.finish(), remaps, counts };
}
