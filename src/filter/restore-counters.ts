/** From bytes to the counters that wrote them. */
import { decodeCounters } from './counter-format.js';
import { CountMinSketch } from './count-min-sketch.js';
import { CountingFilter } from './counting-filter.js';
import { SpectralFilter } from './spectral-filter.js';

/**
 * The counting filter, spectral filter or Count-Min sketch that `serialize` wrote, on any platform; `kind` tells which.
 * @throws FormatError if the bytes are not exactly whole, undamaged counters of a known version
 * @example
 * const restored = restoreCounters(bytes);
 * if (restored.kind === 'counting') restored.delete('Valjean');
 */
export function restoreCounters(bytes: Uint8Array): CountingFilter | SpectralFilter | CountMinSketch {
  const { shape, ...contents } = decodeCounters(bytes);
  switch (shape.kind) {
    case 'counting':
      return new CountingFilter(shape, contents);
    case 'spectral':
      return new SpectralFilter(shape, contents);
    case 'count-min':
      return new CountMinSketch(shape, contents);
  }
}
