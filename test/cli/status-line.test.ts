import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { progressText, StatusLine } from '../../src/cli/status-line.js';
import type { RoundReport } from '../../src/recursion/report.js';

const ROUND: RoundReport = {
  round: 3,
  delta: 1200,
  derived: 0,
  duplicates: 0,
  fresh: 0,
  joinShuffledTuples: 0,
  joinShuffledBytes: 0,
  dedupShuffledTuples: 0,
  dedupShuffledBytes: 0,
  tested: 0,
  pruned: 0,
  falsePositives: 0,
  pairs: 34567,
  probed: 'none',
  checkpointBytes: 0,
  ms: 1,
  exchangeMs: 0,
  joinMs: 0,
  dedupMs: 0,
};

function screen(isTTY: boolean): { stderr: PassThrough & { isTTY: boolean }; text: () => string } {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const chunks: string[] = [];
  stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return { stderr, text: () => chunks.join('') };
}

describe('the status line', () => {
  it('shows round, delta, pairs and seconds on a terminal, and is cleared', async () => {
    const { stderr, text } = screen(true);
    const status = await StatusLine.open(stderr);
    status.start('naive');
    await sleep(60);
    status.showRound(ROUND);
    expect(text()).toMatch(
      /naive · loading · 0\.\d s[^]*naive · round 3 · delta 1,200 · 34,567 pairs · 0\.\d s/,
    );
    const shown = text().length;
    status.clear();
    expect(text().length).toBeGreaterThan(shown);
  });

  it('does not redraw for each of thousands of rounds', async () => {
    const { stderr, text } = screen(true);
    const status = await StatusLine.open(stderr);
    status.start('chain');
    for (let round = 1; round <= 2000; round += 1) status.showRound({ ...ROUND, round });
    status.clear();
    expect(text().match(/chain/g)?.length).toBeLessThan(200);
  });

  it('shows nothing but notices elsewhere, each once', async () => {
    const { stderr, text } = screen(false);
    const status = await StatusLine.open(stderr);
    status.start('naive');
    status.showRound(ROUND);
    status.notice('warning: twice');
    status.notice('warning: twice');
    status.clear();
    expect(text()).toBe('rejoin: warning: twice\n');
  });

  it('counts seconds in tenths', () => {
    expect(progressText('closure', ROUND, 61_234)).toBe(
      'closure · round 3 · delta 1,200 · 34,567 pairs · 61.2 s',
    );
  });
});
