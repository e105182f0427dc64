/**
 * Where an encoder stands in a nested value: guards against values that contain themselves or nest too deeply for the
 * stack, and names the place of a value that is refused (`row[1].owner`). The path is only made when it is needed; on the
 * way an element costs one store.
 */
import { isList, isMap } from 'immutable';
import { types } from 'node:util';
import { ValueError } from '../errors.js';

/** Levels: a few hundred bytes of stack each, in an encoder that itself runs on a deep stack. */
const MAX_DEPTH = 1000;
/** Characters of a path in a message. */
const MAX_PATH_CHARACTERS = 200;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

export class Nesting {
  #root = 'value';
  #depth = 0;
  /** Containers around the value looked at, and where in each it is; valid below the depth. */
  readonly #parents: (object | undefined)[] = [];
  readonly #steps: (string | number)[] = [];

  /** Starts with a new outermost value, called `root` in messages. */
  begin(root: string): void {
    this.#root = root;
    this.#depth = 0;
  }

  /** Goes into a container. @throws ValueError if it is inside itself, or too deep */
  enter(container: object): void {
    const depth = this.#depth;
    const parents = this.#parents;
    for (let i = 0; i < depth; i++) {
      if (parents[i] === container) {
        throw this.refusal(
          'refers to a value that contains it; replace the cycle by an id of the value',
          'a cycle',
        );
      }
    }
    if (depth >= MAX_DEPTH) {
      throw this.refusal(
        `is nested more than ${MAX_DEPTH} levels deep; flatten it into an array, for example of its parts in order`,
        'too deep',
      );
    }
    parents[depth] = container;
    this.#steps[depth] = 0;
    this.#depth = depth + 1;
  }

  /**
   * The next value looked at is the container's element `step`: a property's name, an index, or in a map 2i for the key
   * of entry i and 2i + 1 for its value.
   */
  at(step: string | number): void {
    this.#steps[this.#depth - 1] = step;
  }

  leave(): void {
    this.#depth -= 1;
    // Not kept alive.
    this.#parents[this.#depth] = undefined;
  }

  /** An error about the value looked at: its path, then `message`. */
  refusal(message: string, problem: string): ValueError {
    const path = this.#path();
    return new ValueError(`${path} ${message}`, { path, problem });
  }

  #path(): string {
    let path = this.#root;
    for (let i = 0; i < this.#depth; i++) path += segment(this.#parents[i], this.#steps[i] ?? 0);
    if (path.length <= MAX_PATH_CHARACTERS) return path;
    const half = MAX_PATH_CHARACTERS / 2;
    return `${path.slice(0, half)} … ${path.slice(-half)}`;
  }
}

function segment(parent: object | undefined, step: string | number): string {
  if (typeof step === 'string') return IDENTIFIER.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  if (Array.isArray(parent)) return `[${step}]`;
  if (isList(parent)) return `.get(${step})`;
  if (types.isMap(parent) || isMap(parent)) {
    return `.${step % 2 === 0 ? 'keys' : 'values'}()[${Math.floor(step / 2)}]`;
  }
  return `.values()[${step}]`;
}
