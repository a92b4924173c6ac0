import { badRequest, invalid, ServiceError } from '../../errors.js';
import {
  checkJson,
  cloneJson,
  DEPTH_MAX,
  deepEqual,
  findProblem,
  getOwn,
  isRecord,
  setOwn,
  type JsonCount,
} from './json.js';
import { parsePointer } from './json-pointer.js';

/** Operations allowed in one patch. */
export const OPERATIONS_MAX = 10_000;
/** Reference tokens allowed in one pointer: the limit of nesting levels. */
export const POINTER_TOKENS_MAX = DEPTH_MAX;
/**
 * Items that one patch may shift by adding and removing items before them. Shifting this number takes milliseconds.
 */
const MOVED_MAX = 100_000_000;
/** Characters of a pointer that a message repeats. */
const POINTER_SHOWN_MAX = 200;

/** The default limit for the weight of the result. */
export const WEIGHT_MAX = 10_485_760;

export interface PatchLimits {
  /**
   * Limit for the values and characters of the result, and for those that all `copy` operations together add:
   * repeated doubling soon fills any memory. JSON of the result has at least this number of bytes. Default:
   * {@link WEIGHT_MAX}.
   */
  readonly weightMax?: number;
}

const INDEX = /^(?:0|[1-9]\d*)$/;
const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

interface ItemPlace {
  readonly kind: 'item';
  readonly list: unknown[];
  readonly at: number;
  readonly exists: boolean;
}

/** A place in the document: its container and the last token. */
type Place =
  | { readonly kind: 'root' }
  | ItemPlace
  | {
      readonly kind: 'member';
      readonly object: Record<string, unknown>;
      readonly key: string;
      readonly exists: boolean;
    };

/** The reason why one operation cannot be applied; becomes the cause of the error. */
class Refusal extends Error {
  constructor(
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Applies a JSON Patch (RFC 6902) to a copy of the document. Neither argument is changed or shared. All operations
 * apply or none.
 * @throws ServiceError `RequestEntityTooLarge` when the result is heavier than the limit
 * @throws ServiceError `Invalid` for the first operation that cannot be applied, including a failed `test`; the field
 * of the cause is `[<index>] <pointer>`
 * @throws ServiceError `BadRequest` when the patch is not a list of operations, or has too many
 */
export function applyJsonPatch(
  document: unknown,
  patch: unknown,
  { weightMax = WEIGHT_MAX }: PatchLimits = {},
): unknown {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch must be a list of operations');
  if (patch.length > OPERATIONS_MAX)
    throw badRequest(`a JSON patch may have at most ${OPERATIONS_MAX} operations`);
  const target = new Patching(cloneJson(document), weightMax);
  patch.forEach((operation: unknown, at) => attempt(at, () => target.apply(operation)));
  const count: JsonCount = { keys: 0, weight: 0 };
  const problem = checkJson(target.root, {}, count);
  if (count.weight > weightMax) throw tooHeavy(weightMax);
  if (problem !== undefined) throw refused(Math.max(patch.length - 1, 0), '', `the result ${problem}`);
  return target.root;
}

function attempt(at: number, operation: () => void): void {
  try {
    operation();
  } catch (error) {
    if (error instanceof Refusal) throw refused(at, error.pointer, error.message);
    throw error;
  }
}

function tooHeavy(weightMax: number): ServiceError {
  return new ServiceError(
    'RequestEntityTooLarge',
    `the patched object would have more than ${weightMax} values and characters; send smaller patches`,
  );
}

function refused(at: number, given: string, message: string): Error {
  const pointer = given.length > POINTER_SHOWN_MAX ? `${given.slice(0, POINTER_SHOWN_MAX)}…` : given;
  return invalid('the JSON patch', [{ field: `[${at}] ${pointer}`, reason: 'FieldValueInvalid', message }]);
}

class Patching {
  readonly #copied: JsonCount = { keys: 0, weight: 0 };
  #moved = 0;

  constructor(
    public root: unknown,
    private readonly weightMax: number,
  ) {}

  apply(operation: unknown): void {
    if (!isRecord(operation)) throw new Refusal('', 'an operation must be an object');
    const name = OPERATIONS.find((known) => known === getOwn(operation, 'op'));
    if (name === undefined) throw new Refusal('', `"op" must be one of ${OPERATIONS.join(', ')}`);
    const path = getPointer(operation, 'path');
    switch (name) {
      case 'add':
        this.#add(path, getValue(operation, path));
        return;
      case 'remove':
        this.#remove(path);
        return;
      case 'replace':
        this.#replace(path, getValue(operation, path));
        return;
      case 'move':
        this.#move(getPointer(operation, 'from'), path);
        return;
      case 'copy':
        this.#copy(getPointer(operation, 'from'), path);
        return;
      case 'test':
        if (!deepEqual(this.#get(path), getValue(operation, path))) {
          throw new Refusal(path, 'the value differs from the one that the test expects');
        }
    }
  }

  #get(path: string): unknown {
    const place = this.#existing(path);
    if (place.kind === 'root') return this.root;
    return place.kind === 'item' ? place.list[place.at] : place.object[place.key];
  }

  #add(path: string, value: unknown): void {
    const place = this.#locate(path);
    if (place.kind === 'root') this.root = value;
    else if (place.kind === 'item') this.#splice(path, place, [value]);
    else setOwn(place.object, place.key, value);
  }

  #remove(path: string): void {
    const place = this.#existing(path);
    if (place.kind === 'root') throw new Refusal(path, 'the whole document cannot be removed');
    if (place.kind === 'item') this.#splice(path, place, []);
    else Reflect.deleteProperty(place.object, place.key);
  }

  /** Inserts a value before an item, or removes the item. */
  #splice(path: string, { list, at }: ItemPlace, value: readonly [] | readonly [unknown]): void {
    this.#moved += list.length - at;
    if (this.#moved > MOVED_MAX)
      throw new Refusal(
        path,
        'the patch shifts the items of long lists too often; replace the lists instead',
      );
    list.splice(at, 1 - value.length, ...value);
  }

  #replace(path: string, value: unknown): void {
    const place = this.#existing(path);
    if (place.kind === 'root') this.root = value;
    else if (place.kind === 'item') place.list[place.at] = value;
    else setOwn(place.object, place.key, value);
  }

  #move(from: string, path: string): void {
    const value = this.#get(from);
    if (from === path) return;
    if (path.startsWith(`${from}/`)) throw new Refusal(path, 'a value cannot be moved into itself');
    this.#remove(from);
    this.#add(path, value);
  }

  #copy(from: string, path: string): void {
    const value = this.#get(from);
    // Deep values are refused here, because earlier operations may have nested one value in another.
    const problem = findProblem(value, { weightMax: this.weightMax }, this.#copied);
    if (this.#copied.weight > this.weightMax) throw tooHeavy(this.weightMax);
    if (problem !== undefined) throw new Refusal(path, `the copied value ${problem.reason}`);
    this.#add(path, cloneJson(value));
  }

  #existing(path: string): Place {
    const place = this.#locate(path);
    if (place.kind !== 'root' && !place.exists) throw new Refusal(path, 'there is no such value');
    return place;
  }

  /** Finds the place that a pointer names. Only its last token may name an absent member or item. */
  #locate(path: string): Place {
    const tokens = parsePointer(path);
    if (tokens === undefined) throw new Refusal(path, 'is not a JSON pointer');
    let holder = this.root;
    let place: Place = { kind: 'root' };
    for (const [depth, token] of tokens.entries()) {
      const step = stepInto(holder, token, path);
      if (step.exists) holder = step.kind === 'item' ? step.list[step.at] : step.object[step.key];
      else if (depth < tokens.length - 1) throw new Refusal(path, `there is no "${token}"`);
      place = step;
    }
    return place;
  }
}

function stepInto(holder: unknown, token: string, path: string): Exclude<Place, { kind: 'root' }> {
  if (Array.isArray(holder)) {
    const list: unknown[] = holder;
    if (token === '-') return { kind: 'item', list, at: list.length, exists: false };
    if (!INDEX.test(token)) throw new Refusal(path, `"${token}" is not an index of a list`);
    const at = Number(token);
    if (at > list.length) throw new Refusal(path, `index ${token} is beyond the end of the list`);
    return { kind: 'item', list, at, exists: at < list.length };
  }
  if (!isRecord(holder))
    throw new Refusal(path, `there is no "${token}" in a value that is neither a list nor an object`);
  if (token === '__proto__') throw new Refusal(path, 'the key "__proto__" is not allowed');
  return { kind: 'member', object: holder, key: token, exists: Object.hasOwn(holder, token) };
}

function getPointer(operation: Record<string, unknown>, member: 'path' | 'from'): string {
  const pointer = getOwn(operation, member);
  if (typeof pointer !== 'string') throw new Refusal('', `"${member}" must be a JSON pointer`);
  const tokens = parsePointer(pointer);
  if (tokens === undefined) throw new Refusal(pointer, `"${member}" is not a JSON pointer`);
  if (tokens.length > POINTER_TOKENS_MAX)
    throw new Refusal(pointer, `"${member}" has more than ${POINTER_TOKENS_MAX} tokens`);
  return pointer;
}

function getValue(operation: Record<string, unknown>, path: string): unknown {
  if (getOwn(operation, 'value') === undefined) throw new Refusal(path, '"value" is missing');
  const problem = checkJson(operation.value);
  if (problem !== undefined) throw new Refusal(path, `"value" ${problem}`);
  return cloneJson(operation.value);
}
