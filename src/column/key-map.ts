/**
 * A map by key value. Scalars are keys of a JavaScript `Map` as they are, since it compares them as keys compare; all others
 * by their canonical bytes, as text. A `Map` holds at most 2^24 entries, so a full one is followed by another: entries stay in
 * the order of first appearance, and a look-up asks each.
 */
import { KeyEncoder } from './key-encoding.js';
import { isScalar } from './key.js';

type Token = string | number | bigint | boolean | null;

/** A value with the key that its token does not tell: any but a scalar, and −0. */
class Keyed<V> {
  constructor(
    readonly key: unknown,
    readonly value: V,
  ) {}
}

/** Half of what V8 allows: deleted entries count until it rehashes. */
const SHARD_ENTRIES = 2 ** 23;
/**
 * First character of tokens that are not the key itself, and what follows it: the bytes of other keys, or a string that
 * begins with the same character.
 */
const MARK = 0;
const MARKS_BYTES = 0x6b;
const MARKED_STRING = '\u0000s';

/** See docs/values-and-keys.md for what can be a key; everything that takes one throws a ValueError otherwise. */
export class KeyMap<V> {
  readonly #shardEntries: number;
  readonly #shards = [new Map<Token, V | Keyed<V>>()];
  readonly #encoder = new KeyEncoder();

  /** `shardEntries`: how many entries the first `Map` takes before another follows. */
  constructor(shardEntries = SHARD_ENTRIES) {
    this.#shardEntries = shardEntries;
  }

  get size(): number {
    return this.#shards.reduce((size, shard) => size + shard.size, 0);
  }

  get(key: unknown): V | undefined {
    const token = this.#tokenOf(key);
    for (const shard of this.#shards) {
      const held = shard.get(token);
      if (held !== undefined) return held instanceof Keyed ? held.value : held;
    }
    return undefined;
  }

  has(key: unknown): boolean {
    return this.#holder(this.#tokenOf(key)) !== undefined;
  }

  /** A key that is there keeps its place, and the form in which it first came. */
  set(key: unknown, value: V): this {
    const token = this.#tokenOf(key);
    const holder = this.#holder(token);
    if (holder !== undefined) {
      const held = holder.get(token);
      holder.set(token, held instanceof Keyed ? new Keyed(held.key, value) : value);
      return this;
    }
    let last = this.#shards.at(-1);
    if (last === undefined || last.size >= this.#shardEntries) {
      last = new Map();
      this.#shards.push(last);
    }
    last.set(token, Object.is(token, key) ? value : new Keyed(key, value));
    return this;
  }

  /** Whether there was such a key. */
  delete(key: unknown): boolean {
    const token = this.#tokenOf(key);
    return this.#holder(token)?.delete(token) ?? false;
  }

  /** Keys, as they first came, and values, in the order in which the keys first came. */
  *entries(): Generator<[unknown, V], void> {
    for (const shard of this.#shards) {
      for (const [token, held] of shard) yield held instanceof Keyed ? [held.key, held.value] : [token, held];
    }
  }

  [Symbol.iterator](): Generator<[unknown, V], void> {
    return this.entries();
  }

  #holder(token: Token): Map<Token, V | Keyed<V>> | undefined {
    for (const shard of this.#shards) if (shard.has(token)) return shard;
    return undefined;
  }

  #tokenOf(key: unknown): Token {
    if (typeof key === 'string') return key.charCodeAt(0) === MARK ? MARKED_STRING + key : key;
    // −0 + 0 is 0.
    if (typeof key === 'number') return key + 0;
    if (isScalar(key)) return key;
    const { writer } = this.#encoder;
    writer.reset();
    writer.byte(MARK);
    writer.byte(MARKS_BYTES);
    this.#encoder.write(key);
    return writer.latin1();
  }
}
