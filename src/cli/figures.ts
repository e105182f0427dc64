/** Figures as people read them: thousands separated, times and rates in the unit that fits. Never for programs: see JSON. */

/** 1234567 → `1,234,567`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Milliseconds → `12.3 ms`, `1.23 s`, `123 s`. */
export function formatTime(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(1)} ms`;
  return ms < 100_000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 1000).toFixed(0)} s`;
}

/** A rate 0..1 → percent; small ones keep three digits: 0.00012 → `0.0120 %`. */
export function formatRate(rate: number): string {
  const percent = rate * 100;
  if (percent === 0) return '0 %';
  return percent >= 1 ? `${percent.toFixed(1)} %` : `${percent.toPrecision(3)} %`;
}

/** `1 pair`, `2 pairs`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
