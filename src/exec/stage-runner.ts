/**
 * Runs the tasks of one stage: on the pool, or inline where a thread would cost more than it saves. A lost thread costs
 * its task another attempt; an error ends the stage, after every task in flight has stopped touching memory.
 */
import { inspect } from 'node:util';
import { fromErrorData, StateError, TaskLostError } from '../errors.js';
import type { MemoryManager } from '../memory/memory-manager.js';
import type { TaskResult, TaskSpec } from '../plan/task.js';
import type { AbortBoard } from './abort-board.js';
import type { AttemptMemory } from './attempt-memory.js';
import type { Executor } from './executor.js';
import type { MetricsRecorder } from './metrics.js';

/**
 * Tuples: a stage of less work and without user functions runs on the driver. Kernels take some 20 ns a tuple, so this is
 * about 2 ms; dispatching a stage to threads costs near half a millisecond, and starting them some 200 ms.
 */
const INLINE_WEIGHT = 100_000;

/** What the stages of one job share. */
export interface JobControl {
  readonly abortSlot: number;
  readonly signal: AbortSignal | undefined;
}

export class StageRunner {
  #nextStageId = 0;
  #nextAttemptId = 0;

  constructor(
    private readonly parts: {
      readonly inline: Executor;
      /** Undefined: everything runs inline. */
      readonly threads: Executor | undefined;
      readonly concurrency: number;
      readonly maxTaskAttempts: number;
      readonly attempts: AttemptMemory;
      readonly memory: MemoryManager;
      readonly board: AbortBoard;
      readonly metrics: MetricsRecorder;
    },
  ) {}

  /** Results in the order of tasks; the caller owns their ranges. */
  async run(name: string, tasks: readonly TaskSpec[], job: JobControl): Promise<readonly TaskResult[]> {
    const { inline, threads, metrics } = this.parts;
    const stageId = this.#nextStageId++;
    metrics.add('stages');
    const light =
      tasks.every((task) => task.functions.length === 0) &&
      tasks.reduce((sum, task) => sum + task.weight, 0) < INLINE_WEIGHT;
    const onDriver = threads === undefined || light;
    const executor = onDriver ? inline : threads;
    const results: TaskResult[] = new Array<TaskResult>(tasks.length);
    let next = 0;
    let failure: Error | undefined;
    const lane = async (): Promise<void> => {
      while (next < tasks.length && failure === undefined) {
        const index = next++;
        const task = tasks[index];
        if (task === undefined) return;
        try {
          results[index] = await this.#attempt(name, stageId, task, executor, job);
          metrics.add('tasks');
          if (onDriver) metrics.add('inlineTasks');
        } catch (error) {
          failure ??= error instanceof Error ? error : new StateError(String(error));
          this.parts.board.raise(job.abortSlot);
        }
      }
    };
    const lanes = onDriver ? 1 : Math.min(this.parts.concurrency, tasks.length);
    await Promise.all(Array.from({ length: lanes }, lane));
    if (failure === undefined) return results;
    for (const result of results) this.#release(result);
    throw failure;
  }

  #release(result: TaskResult | undefined): void {
    for (const range of result?.ranges ?? []) this.parts.memory.release(range);
  }

  async #attempt(
    name: string,
    stageId: number,
    task: TaskSpec,
    executor: Executor,
    job: JobControl,
  ): Promise<TaskResult> {
    const { attempts, maxTaskAttempts, metrics } = this.parts;
    const reasons: string[] = [];
    while (reasons.length < maxTaskAttempts) {
      if (job.signal?.aborted === true) throw abortReason(job.signal);
      const attemptId = this.#nextAttemptId++;
      attempts.begin(attemptId);
      const outcome = await executor.run({
        attemptId,
        url: task.url,
        exportName: task.exportName,
        args: reasons.length === 0 || task.retryArgs === undefined ? task.args : task.retryArgs(),
        functions: task.functions,
        imports: task.imports ?? [],
        stageId,
        partition: task.partition,
        abortSlot: job.abortSlot,
      });
      if (outcome.kind === 'done') {
        return { value: outcome.value, ranges: attempts.finish(attemptId, outcome.live) };
      }
      attempts.discard(attemptId);
      if (outcome.kind === 'failed') throw fromErrorData(outcome.error);
      if (outcome.kind === 'aborted') throw abortReason(job.signal);
      reasons.push(outcome.reason);
      metrics.add('lostAttempts');
    }
    throw new TaskLostError(
      `stage ${stageId} (${name}), partition ${task.partition}: the task lost its thread ${reasons.length} times ` +
        `(${[...new Set(reasons)].join('; ')}). A user function that calls process.exit or exhausts the thread's ` +
        'heap does this; use more partitions, or raise threadHeap',
      { stage: stageId, partition: task.partition, attempts: reasons.length },
    );
  }
}

/** What an aborted run rejects with: the signal's reason, as `fetch` does. */
export function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error) return reason;
  if (reason !== undefined) return new DOMException(`the run was aborted: ${inspect(reason)}`, 'AbortError');
  return new StateError('the run was stopped because its context is closing or another of its tasks failed');
}
