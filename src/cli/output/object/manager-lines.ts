import { readFieldManagers, type FieldManagerEntry } from '../../../client/programs/field-managers.js';
import type { Metadata } from '../../../model/object.js';
import { agoText } from './ages.js';

/** The limit of printed fields of one manager; others are only counted. */
const SHOWN_MAX = 20;

/** The managers of an object with the fields that each owns; empty without any. */
export function managerLines({ managedFields }: Partial<Metadata>): readonly string[] {
  const entries = readFieldManagers(managedFields);
  return entries.length === 0 ? [] : ['Field managers:', ...entries.flatMap(linesOf)];
}

function linesOf({ manager, operation, subresource, time, fields }: FieldManagerEntry): readonly string[] {
  const facts = [
    operation,
    ...(subresource === undefined ? [] : [subresource]),
    ...(time === undefined ? [] : [agoText(time)]),
  ];
  const shown = fields.slice(0, SHOWN_MAX);
  const more = fields.length - shown.length;
  return [
    `  ${manager} (${facts.join(', ')})`,
    ...shown.map((field) => `    ${field}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}
