import { isRecord } from '../../../lib/json/json.js';
import { fieldElement, formatPath, type PathElement } from '../paths/element.js';
import {
  kindOf,
  memberType,
  type ValueKinds,
  type ListType,
  type MapType,
  type ScalarKind,
} from '../types/field-type.js';
import { stepTo } from './list-item.js';

/** A part of a value that its type does not allow. */
export interface TypeFault {
  /** Such as `.spec.ports[name="web"]`; empty for the root. */
  readonly path: string;
  readonly message: string;
}

/** Walks a value; the path is that of the current part. */
class Check {
  readonly faults: TypeFault[] = [];
  readonly #path: PathElement[] = [];

  constructor(readonly allowsRepeated: boolean) {}

  visit(value: unknown, type: ValueKinds): void {
    if (value === undefined) return;
    switch (kindOf(type, value)) {
      case 'map':
        if (type.map !== undefined) this.#map(value, type.map);
        break;
      case 'scalar':
        if (type.scalar !== undefined) this.#scalar(value, type.scalar);
        break;
      case 'list':
        if (type.list !== undefined) this.#list(value, type.list);
        break;
      case undefined:
        this.#add('the schema accepts no value here');
    }
  }

  #add(message: string): void {
    this.faults.push({ path: formatPath(this.#path), message });
  }

  #below(step: PathElement, run: () => void): void {
    this.#path.push(step);
    run();
    this.#path.pop();
  }

  #scalar(value: unknown, kind: ScalarKind): void {
    if (value !== null && !accepts(kind, value)) this.#add(`must be ${EXPECTED[kind]}`);
  }

  #map(value: unknown, map: MapType): void {
    if (value === null) return;
    if (!isRecord(value)) {
      this.#add('must be an object');
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const type = memberType(map, name);
      this.#below(fieldElement(name), () => {
        if (type === undefined) this.#add('field not declared in schema');
        else this.visit(member, type);
      });
    }
  }

  #list(value: unknown, list: ListType): void {
    if (value === null) return;
    if (!Array.isArray(value)) {
      this.#add('must be a list');
      return;
    }
    const seen = new Set<PathElement>();
    for (const [at, item] of value.entries()) {
      const found = list.relation === 'atomic' ? { step: `i:${at}` } : stepTo(item, list);
      if ('fault' in found) {
        this.#below(`i:${at}`, () => this.#add(found.fault));
        return;
      }
      const { step } = found;
      this.#below(step, () => {
        if (seen.has(step) && !this.allowsRepeated) this.#add('duplicate entries for the key');
        seen.add(step);
        this.visit(item, list.items);
      });
    }
  }
}

const EXPECTED: Readonly<Record<ScalarKind, string>> = {
  string: 'a string',
  numeric: 'a number',
  boolean: 'a boolean',
  untyped: 'a scalar',
};

function accepts(kind: ScalarKind, value: unknown): boolean {
  switch (kind) {
    case 'string':
      return typeof value === 'string';
    case 'numeric':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'untyped':
      return typeof value !== 'object';
  }
}

/**
 * The parts of a value that its type does not allow.
 * @param options.allowsRepeated true for a stored object, whose sets and list maps may have an item several times
 */
export function findTypeFaults(
  { value, type }: { readonly value: unknown; readonly type: ValueKinds },
  options: { readonly allowsRepeated?: boolean } = {},
): readonly TypeFault[] {
  const check = new Check(options.allowsRepeated === true);
  check.visit(value, type);
  return check.faults;
}
