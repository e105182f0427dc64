/**
 * A recursion whose tasks lose their thread after the work is done, known pairs already changed: the worst moment. Runs on
 * the built engine with an executor that throws outcomes away at random.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AttemptMemory } from '../../dist/exec/attempt-memory.js';
import { Engine } from '../../dist/exec/engine.js';
import type { Executor } from '../../dist/exec/executor.js';
import { FunctionShipper } from '../../dist/exec/function/ship-function.js';
import { InlineExecutor } from '../../dist/exec/inline-executor.js';
import { StageRunner } from '../../dist/exec/stage-runner.js';
import { contextSettings, STRATEGIES } from '../../dist/options.js';
import { Lineage } from '../../dist/plan/lineage.js';
import { Rdd } from '../../dist/rdd/rdd.js';
import { parallelizeNode } from '../../dist/rdd/sources.js';
import { naiveClosure } from './oracle.js';

describe('lost threads in a recursion', () => {
  it('change nothing: state of a lost attempt is never read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 40 }),
        fc.constantFrom(...STRATEGIES),
        fc.infiniteStream(fc.nat(4)),
        async (edges, strategy, chances) => {
          const engine = new Engine(contextSettings({ threads: 0, memory: '64MiB' }));
          const attempts = new AttemptMemory(engine.memory);
          const honest = new InlineExecutor(engine.memory, attempts, engine.board.words);
          let lost = 0;
          const flaky: Executor = {
            async run(message) {
              const outcome = await honest.run(message);
              if (chances.next().value !== 0) return outcome;
              lost += 1;
              return { kind: 'lost', reason: 'thrown away by the test' };
            },
            close: () => Promise.resolve(),
          };
          Object.assign(engine, {
            stages: new StageRunner({
              inline: flaky,
              threads: undefined,
              concurrency: 1,
              maxTaskAttempts: 100,
              attempts,
              memory: engine.memory,
              board: engine.board,
              metrics: engine.metrics,
            }),
          });
          const session = { engine, lineage: new Lineage(), shipper: new FunctionShipper() };
          const know = new Rdd<[number, number]>(session, parallelizeNode(session, edges, 3));
          const rows = await know.transitiveClosure({ strategy, partitions: 3 }).collect();
          expect(rows.map(([x, y]) => `${x}>${y}`).sort()).toEqual(naiveClosure(edges));
          expect(engine.metrics.snapshot().lostAttempts).toBe(lost);
          expect(engine.memory.rangeCount).toBe(0);
          await engine.close();
        },
      ),
      { numRuns: 120 },
    );
  });
});
