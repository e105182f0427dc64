import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBudgetError, StateError } from '../../src/errors.js';
import { MemoryManager } from '../../src/memory/memory-manager.js';
import type { Range } from '../../src/memory/range.js';

const MIB = 1024 * 1024;

describe('MemoryManager', () => {
  it('never hands out overlapping ranges, and accounts for every byte', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ size: fc.nat({ max: 5000 }), drop: fc.nat(), trim: fc.boolean() }), {
          maxLength: 60,
        }),
        (operations) => {
          const memory = new MemoryManager(16 * MIB);
          const held: Range[] = [];
          for (const { size, drop, trim } of operations) {
            const range = memory.allocate(size);
            held.push(trim ? memory.trim(range, Math.floor(size / 2)) : range);
            if (drop % 3 === 0) {
              const [gone] = held.splice(drop % held.length, 1);
              if (gone !== undefined) memory.release(gone);
            }
          }
          const spans = held
            .map(({ offset, length }) => [offset, offset + length] as const)
            .sort((a, b) => a[0] - b[0]);
          for (let i = 1; i < spans.length; i++)
            expect(spans[i]?.[0]).toBeGreaterThanOrEqual(spans[i - 1]?.[1] ?? 0);
          expect(memory.usedBytes).toBeGreaterThanOrEqual(held.reduce((sum, range) => sum + range.length, 0));
          for (const range of held) memory.release(range);
          expect(memory.usedBytes).toBe(0);
          expect(memory.rangeCount).toBe(0);
          memory.close();
        },
      ),
    );
  });

  it('refuses what the budget does not allow, and goes on afterwards', () => {
    const memory = new MemoryManager(2 * MIB);
    const first = memory.allocate(MIB);
    expect(() => memory.allocate(2 * MIB)).toThrow(MemoryBudgetError);
    expect(() => memory.allocate(2 * MIB)).toThrow(/2 MiB asked for, 1 MiB of 2 MiB in use/);
    memory.release(first);
    const second = memory.allocate(2 * MIB);
    expect(second.length).toBe(2 * MIB);
    memory.close();
  });

  it('asks for pressure relief before it refuses', () => {
    const memory = new MemoryManager(2 * MIB);
    let spare: Range | undefined = memory.allocate(1.5 * MIB);
    memory.onPressure = () => {
      if (spare === undefined) return false;
      memory.release(spare);
      spare = undefined;
      return true;
    };
    expect(memory.allocate(MIB).length).toBe(MIB);
    expect(() => memory.allocate(1.5 * MIB)).toThrow(MemoryBudgetError);
    memory.close();
  });

  it('frees a range only with its last holder, and notices one release too many', () => {
    const memory = new MemoryManager(2 * MIB);
    const range = memory.allocate(100);
    memory.retain(range);
    memory.release(range);
    expect(memory.rangeCount).toBe(1);
    memory.release(range);
    expect(memory.rangeCount).toBe(0);
    expect(() => {
      memory.release(range);
    }).toThrow(StateError);
    memory.close();
  });

  it('gives the trimmed tail to the next allocation', () => {
    const memory = new MemoryManager(4 * MIB);
    const large = memory.allocate(MIB);
    const small = memory.trim(large, 64);
    expect(small.length).toBe(64);
    expect(memory.usedBytes).toBe(64);
    expect(memory.allocate(MIB - 64).offset).toBe(large.offset + 64);
    memory.close();
  });

  it('reuses the arena of a closed manager', () => {
    const first = new MemoryManager(MIB);
    const { arenaId } = first.allocate(10);
    first.close();
    const second = new MemoryManager(MIB);
    expect(second.allocate(10).arenaId).toBe(arenaId);
    second.close();
    expect(() => second.allocate(1)).toThrow(/closed/);
  });

  it('sees through views what was written before the memory grew', () => {
    const memory = new MemoryManager(64 * MIB);
    const range = memory.allocate(8);
    memory.views.u32(range).set([1, 2]);
    memory.allocate(20 * MIB);
    expect([...memory.views.u32(range)]).toEqual([1, 2]);
    memory.close();
  });
});
