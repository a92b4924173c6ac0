import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { formatPath, readElement } from '../../../src/kubernetes/apply/paths/element.js';
import {
  difference,
  intersection,
  leaves,
  union,
  without,
} from '../../../src/kubernetes/apply/paths/algebra.js';
import { readFields, writeFields } from '../../../src/kubernetes/apply/paths/fields-v1.js';
import type { PathSet } from '../../../src/kubernetes/apply/paths/path-set.js';
import {
  ApplyConflict,
  type Managed,
  type OwnedVersions,
} from '../../../src/kubernetes/apply/managers/managed.js';
import { apply, update } from '../../../src/kubernetes/apply/managers/updater.js';
import type { ValueKinds, TypedValue } from '../../../src/kubernetes/apply/types/field-type.js';
import { findTypeFaults } from '../../../src/kubernetes/apply/values/check.js';
import { compare } from '../../../src/kubernetes/apply/values/compare.js';
import { fieldsOf, withDeclared } from '../../../src/kubernetes/apply/values/fields.js';
import { merge } from '../../../src/kubernetes/apply/values/merge.js';
import { reconcile } from '../../../src/kubernetes/apply/values/reconcile.js';
import { removeFields } from '../../../src/kubernetes/apply/values/remove.js';
import { LibraryTypes, type Schema } from './library-types.js';

interface Recorded {
  readonly name: string;
  readonly schema?: number;
  readonly type?: string;
}

interface RecordedTyped {
  readonly schema: number;
  readonly type: string;
  readonly value: unknown;
}

interface RecordedManaged {
  readonly fields: unknown;
  readonly version: string;
  readonly applied: boolean;
}

interface RecordedWrite extends Recorded {
  readonly live: RecordedTyped;
  readonly object: RecordedTyped;
  readonly version: string;
  readonly manager: string;
  readonly managers: Readonly<Record<string, RecordedManaged>>;
  readonly force?: boolean;
  readonly ignored?: Readonly<Record<string, unknown>>;
  readonly conversions?: readonly {
    readonly in: RecordedTyped;
    readonly version: string;
    readonly out?: RecordedTyped;
  }[];
  readonly after?: Readonly<Record<string, RecordedManaged>>;
  readonly conflicts?: readonly string[];
  readonly same?: boolean;
  readonly out?: RecordedTyped;
}

/** A call of the library, with its answer. */
export type Vector =
  | (Recorded & {
      readonly kind: 'union' | 'intersection' | 'difference' | 'recursiveDifference' | 'leaves';
    } & {
      readonly a: unknown;
      readonly b: unknown;
      readonly out: unknown;
    })
  | (Recorded & { readonly kind: 'named'; readonly a: unknown; readonly out: unknown })
  | (Recorded & {
      readonly kind: 'read';
      readonly text: string;
      readonly error: boolean;
      readonly out?: string;
    })
  | (Recorded & {
      readonly kind: 'element';
      readonly text: string;
      readonly error: boolean;
      readonly out?: string;
      readonly string?: string;
    })
  | (Recorded & {
      readonly kind: 'validate';
      readonly value: unknown;
      readonly duplicates: boolean;
      readonly ok: boolean;
    })
  | (Recorded & { readonly kind: 'fields'; readonly value: unknown; readonly out: unknown })
  | (Recorded & {
      readonly kind: 'merge';
      readonly a: unknown;
      readonly b: unknown;
      readonly error: boolean;
      readonly out?: unknown;
    })
  | (Recorded & { readonly kind: 'compare'; readonly a: unknown; readonly b: unknown } & Readonly<
        Record<'removed' | 'modified' | 'added', unknown>
      >)
  | (Recorded & {
      readonly kind: 'remove';
      readonly value: unknown;
      readonly set: unknown;
      readonly keys?: boolean;
      readonly out: unknown;
    })
  | (Recorded & { readonly kind: 'reconcile'; readonly set: unknown; readonly out: unknown })
  | (RecordedWrite & { readonly kind: 'update' | 'apply' });

type VectorOfWrite = Extract<Vector, { kind: 'update' | 'apply' }>;

export interface VectorFile {
  readonly schemas: readonly Schema[];
  readonly cases: readonly Vector[];
}

export function readVectors(name: string): VectorFile {
  const text = gunzipSync(readFileSync(new URL(name, import.meta.url))).toString();
  return JSON.parse(text) as VectorFile;
}

/** Our answer to a vector, and that of the library. */
export interface Answers {
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Answers vectors of a file. */
export class Answering {
  readonly #schemas: readonly LibraryTypes[];

  constructor({ schemas }: VectorFile) {
    this.#schemas = schemas.map((schema) => new LibraryTypes(schema));
  }

  answers(vector: Vector): Answers {
    switch (vector.kind) {
      case 'union':
        return sets(union(readFields(vector.a), readFields(vector.b)), vector.out);
      case 'intersection':
        return sets(intersection(readFields(vector.a), readFields(vector.b)), vector.out);
      case 'difference':
        return sets(difference(readFields(vector.a), readFields(vector.b)), vector.out);
      case 'recursiveDifference':
        return sets(without(readFields(vector.a), readFields(vector.b)), vector.out);
      case 'leaves':
        return sets(leaves(readFields(vector.a)), vector.out);
      case 'named':
        return sets(withDeclared(readFields(vector.a), this.#typeOf(vector)), vector.out);
      case 'read':
        return {
          ours: orFault(() => JSON.stringify(writeFields(readFields(JSON.parse(vector.text))))),
          theirs: vector.error ? FAULT : vector.out,
        };
      case 'element':
        return element(vector);
      case 'fields':
        return sets(fieldsOf({ value: vector.value, type: this.#typeOf(vector) }), vector.out);
      case 'remove':
        return {
          ours: removeFields(vector.value, readFields(vector.set), this.#typeOf(vector)),
          theirs: vector.out,
        };
      case 'reconcile':
        return sets(reconcile(readFields(vector.set), this.#typeOf(vector)), vector.out ?? vector.set);
      case 'validate': {
        const typed = { value: vector.value, type: this.#typeOf(vector) };
        const faults = findTypeFaults(typed, { allowsRepeated: vector.duplicates });
        return { ours: faults.length === 0, theirs: vector.ok };
      }
      case 'merge':
        return { ours: merge(vector.a, vector.b, this.#typeOf(vector)) ?? null, theirs: vector.out };
      case 'compare': {
        const { removed, modified, added } = compare(vector.a, vector.b, this.#typeOf(vector));
        const { removed: r, modified: m, added: a } = vector;
        return {
          ours: [removed, modified, added].map(writeFields),
          theirs: [r, m, a].map((set) => writeFields(readFields(set))),
        };
      }
      case 'update':
      case 'apply':
        return this.#writeInAnyOrder(vector);
    }
  }

  #typeOf({ schema = 0, type = '' }: { readonly schema?: number; readonly type?: string }): ValueKinds {
    return this.#schemas[schema]?.named(type) ?? {};
  }

  #typed(recorded: RecordedTyped): TypedValue {
    return { value: recorded.value, type: this.#typeOf(recorded) };
  }

  /** The library takes managers in a random order, and a vector has only the conversions of that order. */
  #writeInAnyOrder(vector: VectorOfWrite): Answers {
    const managers = Object.entries(vector.managers);
    const turns = managers.map((_, at) => [...managers.slice(at), ...managers.slice(0, at)]);
    for (const order of turns.flatMap((turn) => [turn, turn.toReversed()])) {
      try {
        return this.#write(vector, order);
      } catch (error) {
        if (!(error instanceof MissingConversion)) throw error;
      }
    }
    return this.#write(vector, managers);
  }

  #write(vector: VectorOfWrite, recorded: readonly (readonly [string, RecordedManaged])[]): Answers {
    const managers = new Map(recorded.map(([name, one]) => [name, managed(one)]));
    const versions = this.#versions(vector);
    const writer = { key: vector.manager, version: vector.version };
    const [live, object] = [this.#typed(vector.live), this.#typed(vector.object)];
    if (vector.kind === 'update') {
      const after = update({ before: live, after: object, writer }, managers, versions);
      return { ours: { after: written(after) }, theirs: { after: vector.after } };
    }
    const { conflicts, after, out } = vector;
    const theirs = conflicts === undefined ? { after, same: vector.same, out: out?.value } : { conflicts };
    try {
      const isForced = vector.force === true;
      const result = apply({ live, applied: object, writer, isForced }, managers, versions);
      return {
        ours: {
          after: written(result.managers),
          same: result.object ? undefined : true,
          out: result.object?.value,
        },
        theirs,
      };
    } catch (error) {
      if (!(error instanceof ApplyConflict)) throw error;
      const ours = error.conflicts.map(({ manager, path }) => `${manager} ${formatPath(path)}`);
      return { ours: { conflicts: ours.sort() }, theirs };
    }
  }

  #versions({ conversions, ignored }: RecordedWrite): OwnedVersions {
    const known = new Map(conversions?.map((one) => [keyOf(one.in.value, one.version), one.out]));
    return {
      convert: (object, version) => {
        if (conversions === undefined) return object;
        const key = keyOf(object.value, version);
        if (!known.has(key)) throw new MissingConversion(key);
        const out = known.get(key);
        return out && this.#typed(out);
      },
      ownable: (fields, version) =>
        ignored?.[version] === undefined ? fields : without(fields, readFields(ignored[version])),
    };
  }
}

class MissingConversion extends Error {}

const FAULT = 'fault';

function orFault<T>(run: () => T): T | typeof FAULT {
  try {
    return run();
  } catch {
    return FAULT;
  }
}

function sets(ours: PathSet, theirs: unknown): Answers {
  return { ours: JSON.stringify(writeFields(ours)), theirs: JSON.stringify(theirs) };
}

function element({ text, error, out, string }: Extract<Vector, { kind: 'element' }>): Answers {
  const ours = orFault(() => readElement(text) ?? FAULT);
  if (error || ours === FAULT) return { ours, theirs: error ? FAULT : out };
  // Keys of lists are scalars. Only of objects in keys the texts for people differ.
  if (ours.includes(':{"some"') || ours.includes('"jsonField"')) return { ours, theirs: out };
  return { ours: [ours, formatPath([ours])], theirs: [out, string] };
}

function managed({ fields, version, applied }: RecordedManaged): Managed {
  return { fields: readFields(fields), version, isApplied: applied };
}

function written(managers: ReadonlyMap<string, Managed>): Record<string, RecordedManaged> {
  return Object.fromEntries(
    [...managers].map(([name, { fields, version, isApplied }]) => [
      name,
      { fields: writeFields(fields), version, applied: isApplied },
    ]),
  );
}

function keyOf(value: unknown, version: string): string {
  return `${version} ${JSON.stringify(sortedCopy(value))}`;
}

function sortedCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedCopy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortedCopy(member)]),
  );
}
