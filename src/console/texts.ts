import { Writing } from './texts/writing.js';

/** A value of a text. Numbers are formatted in the language. */
type Value = string | number;

/** Texts of a language by their English text, such as `{0} [line|lines]`. */
export type Translations = Readonly<Record<string, string>>;

/** Returns a text in a language. A text without a translation is in English. */
export type Translate = (english: TemplateStringsArray | string, ...values: readonly Value[]) => string;

/**
 * A text has `{0}`, `{1}` and so on for its values. `[line|lines]` has the forms of a word for the number before it, in the
 * order of the language's plural categories.
 */
export function translator(writing: Writing, translations: Translations): Translate {
  return (english, ...values) => {
    const key = typeof english === 'string' ? english : getKey(english);
    const found = Object.hasOwn(translations, key) ? translations[key] : undefined;
    return values.length === 0 ? (found ?? key) : fill(found ?? key, values, writing);
  };
}

function getKey(parts: TemplateStringsArray): string {
  return parts.reduce((key, part, i) => `${key}{${i - 1}}${part}`);
}

function fill(text: string, values: readonly Value[], writing: Writing): string {
  let count = 0;
  return text.replace(/\{(\d)\}|\[([^[\]|]+(?:\|[^[\]|]+)+)\]/g, (_all, index?: string, forms?: string) => {
    if (forms !== undefined) return writing.plural(count, forms.split('|'));
    const value = values[Number(index)] ?? '';
    if (typeof value === 'string') return value;
    count = value;
    return writing.number(value);
  });
}

let current = translator(new Writing('en'), {});

/**
 * A text of the page in the current language: t`Delete ${name}?`. Its translations are in `texts/`. Call it during rendering,
 * never while a file loads: the result does not follow a change of the language.
 */
export const t: Translate = (english, ...values) => current(english, ...values);

export function setTexts(writing: Writing, translations: Translations): void {
  current = translator(writing, translations);
}
