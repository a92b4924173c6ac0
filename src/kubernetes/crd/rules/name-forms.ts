import type { Cause } from '../../../errors.js';
import type { DefinitionNames } from '../definition.js';
import { fault } from './fault.js';

const DNS_LABEL = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const LABEL_FORM =
  'must consist of at most 63 lowercase letters, digits and "-", start with a letter, and end with a letter or digit';

/** True for a DNS label as in RFC 1035: it starts with a letter. */
export function isDns1035Label(text: string): boolean {
  return DNS_LABEL.test(text);
}

const NEEDED = ['plural', 'singular', 'kind', 'listKind'] as const;
const LISTS = ['shortNames', 'categories'] as const;

export function checkNameForms(names: DefinitionNames, path: string): readonly Cause[] {
  const { kind, listKind = '' } = names;
  const causes = NEEDED.flatMap((key) => checkNeeded(names[key], `${path}.${key}`, key.endsWith('ind')));
  const listed = LISTS.flatMap((key) =>
    (names[key] ?? []).flatMap((name, i) => checkForm(name, `${path}.${key}[${i}]`)),
  );
  const isOneKind = listKind !== '' && kind === listKind;
  return [
    ...causes,
    ...listed,
    ...(isOneKind ? [fault(`${path}.listKind`, 'Invalid', 'must not equal kind')] : []),
  ];
}

function checkNeeded(name = '', field: string, mayHaveCapitals: boolean): readonly Cause[] {
  if (name === '') return [fault(field, 'Required', 'is required')];
  return checkForm(mayHaveCapitals ? name.toLowerCase() : name, field);
}

function checkForm(name: string, field: string): readonly Cause[] {
  return isDns1035Label(name) ? [] : [fault(field, 'Invalid', LABEL_FORM)];
}
