import { ServiceError } from '../../errors.js';
import { joinPath, isRecord } from '../../lib/json/json.js';
import type { UnknownRecord } from '../records.js';

export type ManifestPath = readonly (string | number)[];

/** Collects errors, so that an author gets all of them at once. */
export class ManifestFaults {
  readonly #found: string[] = [];

  constructor(
    private readonly file: string,
    private readonly getLine: (field: string) => number,
  ) {}

  add(field: ManifestPath, message: string): void {
    const dotted = dottedPath(field);
    this.#found.push(`${this.file}:${this.getLine(dotted)}: ${dotted}: ${message}`);
  }

  expect(holds: boolean, field: ManifestPath, message: string): void {
    if (!holds) this.add(field, message);
  }

  text(parent: UnknownRecord, field: ManifestPath, need?: 'required'): string | undefined {
    const value = parent[String(field.at(-1))];
    if (value === undefined || value === null) {
      if (need) this.add(field, 'is required');
      return undefined;
    }
    if (typeof value === 'string') return value;
    this.add(field, typeof value === 'number' ? 'must be a string: put it in quotes' : 'must be a string');
    return undefined;
  }

  record(parent: UnknownRecord, field: ManifestPath, need?: 'required'): UnknownRecord | undefined {
    const value = parent[String(field.at(-1))];
    if (isRecord(value)) return value;
    if (value !== undefined && value !== null) this.add(field, 'must be a mapping');
    else if (need) this.add(field, 'is required');
    return undefined;
  }

  texts(parent: UnknownRecord, field: ManifestPath): Record<string, string> | undefined {
    const record = this.record(parent, field);
    if (record === undefined) return undefined;
    const entries = Object.keys(record).map(
      (key) => [key, this.text(record, [...field, key]) ?? ''] as const,
    );
    return Object.fromEntries(entries);
  }

  throwIfAny(details: { readonly kind: string; readonly name?: string }): void {
    if (this.#found.length === 0) return;
    throw new ServiceError('Invalid', this.#found.join('; '), details);
  }
}

function dottedPath(field: ManifestPath): string {
  let dotted = '';
  for (const part of field) dotted = typeof part === 'number' ? `${dotted}[${part}]` : joinPath(dotted, part);
  return dotted;
}
