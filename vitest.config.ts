/**
 * Tests import inner floors from src/ and, where threads run, the built package by its name: `npm test` builds first.
 * A property test that fails prints its seed and path (fast-check's default).
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A process for each file: what one leaves behind, threads and shared memory, is not the next one's.
    pool: 'forks',
    // Thread-pool tests start threads of their own: two files at once fill a small machine.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
