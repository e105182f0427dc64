/** Readers of sources, run by the tasks. */
import { BATCH_ROWS, type Batch } from '../exec/pipeline-steps.js';
import type { TaskContext } from '../exec/task-runner.js';
import type { TextLocation } from '../io/byte-source.js';
import { edgeBatches, type EdgeListNotes, type EdgeListSettings } from '../io/edge-list.js';
import { textLines } from '../io/line-reader.js';

interface TextArgs {
  readonly location: TextLocation;
  readonly split: { readonly partition: number; readonly partitionCount: number };
}

export function* readRange(args: {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}): Generator<Batch, undefined> {
  const { start, step, count } = args;
  for (let first = 0; first < count; first += BATCH_ROWS) {
    const size = Math.min(BATCH_ROWS, count - first);
    yield Array.from({ length: size }, (_, i) => start + (first + i) * step);
  }
  return undefined;
}

export function* readLines({ location, split }: TextArgs, context: TaskContext): Generator<Batch, undefined> {
  yield* textLines(location, split, context.views);
  return undefined;
}

export function readEdges(
  args: TextArgs & { readonly settings: EdgeListSettings },
  context: TaskContext,
): Generator<Batch, EdgeListNotes> {
  return edgeBatches(args.location, args.settings, args.split, context.views);
}
