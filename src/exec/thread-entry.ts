/**
 * What a pool's thread runs: opens the line to the driver's memory, then runs attempts, one at a time. Threads hold no
 * state that a result depends on; they may die at any moment.
 */
import { MessageChannel, parentPort, threadId, workerData } from 'node:worker_threads';
import { StateError } from '../errors.js';
import { MemoryViews } from '../memory/memory-views.js';
import type { TaskMessage, TaskOutcome, ThreadData, ThreadHello } from './messages.js';
import { TaskRunner } from './task-runner.js';
import { ThreadLine } from './thread-line.js';

if (parentPort === null) throw new StateError('this module is the entry of a worker thread');
const channel = new MessageChannel();
const control = new SharedArrayBuffer(4);
const hello: ThreadHello = { type: 'rejoin-thread', threadId, port: channel.port2, control };
parentPort.postMessage(hello, [channel.port2]);
channel.port1.unref();

const line = new ThreadLine(channel.port1, new Int32Array(control));
const views = new MemoryViews((arenaId) => line.arena(arenaId));
const runner = new TaskRunner(new Int32Array((workerData as ThreadData).abortBoard));

export default function runAttempt(message: TaskMessage): Promise<TaskOutcome> {
  line.begin(message.attemptId);
  return runner.run(message, { views, allocator: line, live: () => line.live() });
}
