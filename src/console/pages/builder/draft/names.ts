import type { FieldDraft, ModelDraft, ModelNames } from './model-draft.js';
import { humanize } from '../../../lib/naming.js';

/** Letters that have no decomposition. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  ø: 'o',
  Ø: 'O',
  œ: 'oe',
  đ: 'd',
  ł: 'l',
  Ł: 'L',
  þ: 'th',
};

/** The words of a text in ASCII letters and digits. Other scripts have none. */
function wordsIn(text: string): readonly string[] {
  const plain = text
    .replace(/[^ -~]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f']/g, '');
  return plain.match(/[A-Za-z0-9]+/g) ?? [];
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `Blog post` is `BlogPost`; empty for a text without letters of ASCII at its beginning. */
export function toKind(title: string): string {
  const kind = wordsIn(title).map(capitalized).join('');
  return /^[A-Z]/.test(kind) ? kind : '';
}

/** `Due date` is `dueDate`; empty for a text without letters of ASCII. */
export function toFieldName(label: string): string {
  const [first = '', ...rest] = wordsIn(label);
  const isAcronym = /^[A-Z\d]+$/.test(first);
  const start = isAcronym ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  const name = start + rest.map(capitalized).join('');
  return /^\d/.test(name) ? `n${name}` : name;
}

/** The plural of an English noun in lower case. */
export function toPlural(singular: string): string {
  if (singular === '') return '';
  if (/(?:s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}

/** The names of a model: the typed ones, and those that follow from its title. @param group undefined: derived too */
export function namesOf({ title, names }: ModelDraft, group: string | undefined): ModelNames {
  const kind = names.kind ?? toKind(title);
  const singular = names.singular ?? kind.toLowerCase();
  const [first = ''] = wordsIn(title);
  const own = first === '' ? '' : `${first.toLowerCase()}.example.com`;
  return {
    kind,
    singular,
    plural: names.plural ?? toPlural(singular),
    group: names.group ?? group ?? own,
    version: names.version ?? 'v1',
  };
}

export function fieldNameOf({ name, label }: FieldDraft): string {
  return name ?? toFieldName(label);
}

/** The label of a stored field without one. */
export const labelOf = humanize;

const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** The path of a field in columns and indexes: `.spec.address.city`. */
export function pathOf(way: readonly string[]): string {
  return way.reduce(
    (path, name) => path + (PLAIN.test(name) ? `.${name}` : `['${name.replace(/['\\]/g, '\\$&')}']`),
    '.spec',
  );
}

/** The path of a field in hints. */
export function dottedPath(way: readonly string[]): string {
  return ['spec', ...way].join('.');
}
