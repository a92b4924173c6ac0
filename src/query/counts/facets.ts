import { badRequest, formatExcerpt } from '../../errors.js';
import { keyFaults } from '../../model/names-and-labels.js';
import type { Resource } from '../../model/resource.js';
import { getField, LABELS } from '../fields.js';

/** A field whose values are counted, or by which objects are grouped. */
export interface FacetField {
  /** The name in the answer. */
  readonly name: string;
  /** Position in `resource.indexes`, or `NAME`. */
  readonly index: number;
  /** Counts only the values of this label. */
  readonly label?: string;
}

const FACETS_MAX = 10;
const LABEL = /^metadata\.labels\[\s*(?:"([^"]*)"|'([^']*)')\s*\]$/;

/**
 * Reads texts of fields, separated by commas; a field that is named twice is counted once.
 * @throws ServiceError `BadRequest` for fields without an index, invalid label keys, or too many fields
 */
export function readFacets(texts: readonly string[], resource: Resource): FacetField[] {
  const names = texts
    .filter((text) => text.trim() !== '')
    .flatMap((text) => text.split(','))
    .map((name) => name.trim());
  if (names.length > FACETS_MAX) {
    throw badRequest(`facets: at most ${FACETS_MAX} fields can be counted, got ${names.length}`);
  }
  const fields = new Map<string, FacetField>();
  for (const name of names) {
    const field = readFacet(name, resource, 'facets');
    fields.set(field.name, field);
  }
  return [...fields.values()];
}

/**
 * Reads a field, or a label as `metadata.labels["key"]`.
 * @param parameter begins the messages of errors
 * @throws ServiceError `BadRequest` as {@link readFacets}
 */
export function readFacet(name: string, resource: Resource, parameter: string): FacetField {
  if (name === '') throw badRequest(`${parameter}: a field is missing; write <field>[,<field>]`);
  const [, quoted, single] = LABEL.exec(name) ?? [];
  const label = quoted ?? single;
  if (label !== undefined) return labelFacet(label, resource, parameter);
  if (name === LABELS || name.startsWith(`${LABELS}.`) || name.startsWith(`${LABELS}[`)) {
    const example = `${LABELS}["app"]`;
    throw badRequest(`${parameter}: "${formatExcerpt(name)}" needs a label key, as in ${example}`);
  }
  return { name, index: getField(resource, name).index };
}

function labelFacet(label: string, resource: Resource, parameter: string): FacetField {
  const [problem] = keyFaults(label);
  if (problem !== undefined) {
    throw badRequest(`${parameter}: "${formatExcerpt(label)}" is not a label key (${problem.message})`);
  }
  return { name: `${LABELS}["${label}"]`, index: getField(resource, LABELS).index, label };
}
