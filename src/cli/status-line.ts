/**
 * What a person sees on standard error: one moving line of progress (round, delta, pairs, seconds) while it is a
 * terminal, and notices, which are printed either way. Notices clear the moving line first.
 *
 * Hazard: pairs that stream to the same terminal would mix with the line, so `clear` comes before the first pair.
 */
import type { createLogUpdate } from 'log-update';
import type { RoundReport } from '../index.js';
import { formatCount } from './figures.js';
import type { Terminal } from './terminal.js';

/** Milliseconds: a long round shows a clock that moves. */
const REFRESH_MS = 250;
/** Milliseconds: thin rounds end thousands of times a second; nobody reads as fast, and drawing costs more than they do. */
const MIN_REDRAW_MS = 50;

type LogUpdate = ReturnType<typeof createLogUpdate>;

export class StatusLine {
  readonly #stderr: Terminal['stderr'];
  readonly #log: LogUpdate | undefined;
  readonly #notices = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #startedMs = 0;
  #drawnMs = 0;
  #label = '';
  #round: RoundReport | undefined;

  private constructor(stderr: Terminal['stderr'], log: LogUpdate | undefined) {
    this.#stderr = stderr;
    this.#log = log;
  }

  /** What moves the line is loaded for a terminal only: scripts do not wait for it. */
  static async open(stderr: Terminal['stderr']): Promise<StatusLine> {
    if (stderr.isTTY !== true) return new StatusLine(stderr, undefined);
    const { createLogUpdate } = await import('log-update');
    return new StatusLine(stderr, createLogUpdate(stderr, { showCursor: true }));
  }

  /** Starts the clock for one run; `label` stands before the figures. */
  start(label: string): void {
    this.clear();
    this.#label = label;
    this.#round = undefined;
    this.#startedMs = performance.now();
    if (this.#log === undefined) return;
    this.#draw();
    this.#timer = setInterval(() => {
      this.#draw();
    }, REFRESH_MS);
    this.#timer.unref();
  }

  /** One round has ended; the line follows at its own pace. */
  showRound(round: RoundReport): void {
    this.#round = round;
    if (performance.now() - this.#drawnMs >= MIN_REDRAW_MS) this.#draw();
  }

  /** Takes the moving line away and stops its clock; again is harmless. */
  clear(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#log?.clear();
  }

  /** Prints one line, once: the same text again is dropped. */
  notice(text: string): void {
    if (this.#notices.has(text)) return;
    this.#notices.add(text);
    this.#log?.clear();
    this.#stderr.write(`rejoin: ${text}\n`);
  }

  #draw(): void {
    if (this.#log === undefined) return;
    this.#drawnMs = performance.now();
    this.#log(progressText(this.#label, this.#round, this.#drawnMs - this.#startedMs));
  }
}

/** The moving line: `naive · round 3 · delta 120 · 1,234 pairs · 0.8 s`. */
export function progressText(label: string, round: RoundReport | undefined, elapsedMs: number): string {
  const seconds = `${(elapsedMs / 1000).toFixed(1)} s`;
  if (round === undefined) return `${label} · loading · ${seconds}`;
  return [
    label,
    `round ${formatCount(round.round)}`,
    `delta ${formatCount(round.delta)}`,
    `${formatCount(round.pairs)} pairs`,
    seconds,
  ].join(' · ');
}
