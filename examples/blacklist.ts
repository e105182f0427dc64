/**
 * A blacklist of e-mail addresses in a Bloom filter of 16 bits an address and 8 hashes, and how often it is wrong: predicted by
 * the formula, predicted from the bits as they are, and observed on addresses that are not in the list.
 * Usage: blacklist [addresses], by default a million; a hundred million take 200 MB.
 */
import { createFilter, expectedFalsePositiveRate, filterShape, minimumBitCount } from 'rejoin/filters';

const count = Number(process.argv[2] ?? 1_000_000);
if (!Number.isSafeInteger(count) || count < 1)
  throw new Error(`expected a number of addresses, not ${process.argv[2] ?? ''}`);

const BITS_PER_ADDRESS = 16;
const HASH_COUNT = 8;
const shape = filterShape('classic', { bitCount: count * BITS_PER_ADDRESS, hashCount: HASH_COUNT });
const blacklist = createFilter(shape);
for (let i = 0; i < count; i++) blacklist.add(address(i, 'spam'));

let missed = 0;
for (let i = 0; i < count; i++) if (!blacklist.mightContain(address(i, 'spam'))) missed += 1;
let wrong = 0;
for (let i = 0; i < count; i++) if (blacklist.mightContain(address(i, 'friend'))) wrong += 1;

const mib = (bits: number): string => `${(bits / 8 / 2 ** 20).toFixed(1)} MiB`;
const percent = (share: number): string => `${(share * 100).toFixed(3)} %`;
const rate = expectedFalsePositiveRate(shape, count);
console.log(`${count} addresses in ${mib(shape.bitCount)}, ${percent(blacklist.fill)} of the bits set`);
console.log(`least for such a rate, by any structure: ${mib(minimumBitCount(count, rate))}`);
console.log(`of ${count} addresses in the list, ${missed} are missed`);
console.log(`wrongly refused: predicted ${percent(rate)}`);
console.log(`  from the bits  ${percent(blacklist.predictedFalsePositiveRate())}`);
console.log(`  observed       ${percent(wrong / count)} (${wrong} of ${count})`);

function address(id: number, kind: string): string {
  return `${kind}-${id.toString(36)}@mail${id % 97}.example`;
}
