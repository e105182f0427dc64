/**
 * URLs that occur in all of two, three, … files, each larger than memory: the files are streamed, and what is kept is a filter.
 * First pass: an intersection filter over all files. Second pass: only lines that pass it, a few more than are common, go to disk,
 * in buckets by hash. Third: bucket by bucket, exactly. So the filter saves work, and no false positive is printed.
 * Usage: common-urls FILE FILE [FILE …]; without files, on three that are made up.
 */
import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { filterShape, hashString, intersectionFilter, type IntersectionFilter } from 'rejoin/filters';

const FALSE_POSITIVE_RATE = 0.01;
/** A bucket of all files has to fit into memory: a hundredth of what passes the filter. */
const BUCKET_COUNT = 100;
/** Lines that are written at once. */
const BATCH_LINES = 10_000;

const folder = await mkdtemp(join(tmpdir(), 'rejoin-urls-'));
try {
  const files = process.argv.length > 2 ? process.argv.slice(2) : await madeUpFiles(folder);
  if (files.length < 2) throw new Error('give at least two files');
  for (let count = 2; count <= files.length; count++) {
    const compared = files.slice(0, count);
    const filter = await filterOf(compared);
    const passed = await spill(compared, filter, join(folder, `${count}`));
    let common = 0;
    for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
      const urls = await commonIn(compared, join(folder, `${count}-${bucket}`));
      common += urls.length;
      if (count === files.length) for (const url of urls) console.log(url);
    }
    console.log(
      `${common} URLs are in all of the first ${count} files; ${passed} lines passed a filter of ` +
        `${(filter.shape.bitCount / 8 / 1024).toFixed(0)} KiB`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Of the lines that all files have. */
async function filterOf(files: readonly string[]): Promise<IntersectionFilter> {
  let lineCount = 0;
  for (const file of files) lineCount = Math.max(lineCount, await countLines(file));
  const shape = filterShape('classic', { expectedCount: lineCount, falsePositiveRate: FALSE_POSITIVE_RATE });
  const filter = intersectionFilter('two-pass', { version: 1, shape, sideCount: files.length });
  for (const [index, file] of files.entries()) {
    const side = filter.side(index);
    for await (const url of lines(file)) side.add(url);
    side.complete();
  }
  return filter;
}

/** Writes the lines that pass to `${prefix}-${bucket}-${file}`; says how many they are. */
async function spill(files: readonly string[], filter: IntersectionFilter, prefix: string): Promise<number> {
  let passed = 0;
  for (const [index, file] of files.entries()) {
    let batch = new Map<number, string[]>();
    let size = 0;
    const write = async (): Promise<void> => {
      for (const [bucket, urls] of batch)
        await appendFile(`${prefix}-${bucket}-${index}`, `${urls.join('\n')}\n`);
      batch = new Map();
      size = 0;
    };
    for await (const url of lines(file)) {
      if (!filter.mightContain(url)) continue;
      // Another seed than the filter's, so that buckets are independent of it.
      const bucket = hashString(url, 1) % BUCKET_COUNT;
      const urls = batch.get(bucket);
      if (urls === undefined) batch.set(bucket, [url]);
      else urls.push(url);
      passed += 1;
      if (++size >= BATCH_LINES) await write();
    }
    await write();
  }
  return passed;
}

/** The lines that a bucket has of each file, exactly, each once. */
async function commonIn(files: readonly string[], prefix: string): Promise<string[]> {
  let common: Set<string> | undefined;
  for (const index of files.keys()) {
    const urls = await bucketLines(`${prefix}-${index}`);
    const before: Set<string> | undefined = common;
    common = new Set(before === undefined ? urls : urls.filter((url) => before.has(url)));
  }
  return [...(common ?? [])];
}

/** None, if nothing was written there. */
async function bucketLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).trimEnd().split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function countLines(file: string): Promise<number> {
  let count = 0;
  for await (const _url of lines(file)) count += 1;
  return count;
}

/** Lines that are not blank, one after the other. */
async function* lines(file: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
    if (line !== '') yield line;
}

/** Three files of 20,000 URLs; 5,000 are in the first two, 12 in all. */
async function madeUpFiles(folder: string): Promise<string[]> {
  const url = (id: number): string => `https://example.org/page/${id}?from=${(id * 7919) % 1000}`;
  const ranges = [
    [0, 20_000],
    [15_000, 35_000],
    [19_988, 39_988],
  ] as const;
  return Promise.all(
    ranges.map(async ([first, end], index) => {
      const file = join(folder, `urls-${index}.txt`);
      const urls = Array.from({ length: end - first }, (_, i) => url(first + i));
      await writeFile(file, `${urls.join('\n')}\n`);
      return file;
    }),
  );
}
