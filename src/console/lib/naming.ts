import type { JsonObject } from './json.js';

interface NamedModel {
  readonly kind: string;
  readonly plural: string;
  readonly schema: JsonObject;
}

const ACRONYMS = new Set(
  'api cpu css dns html http id ip isbn json pdf sku sql uid uri url vat xml'.split(' '),
);

/** A name of a program as words: `publishedAt` is `Published at`, and `imageUrl` is `Image URL`. */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[-_.]+/g, ' ')
    .trim()
    .split(/\s+/);
  return words
    .map((word, i) => {
      if (/^[A-Z\d]{2,}$/.test(word)) return word;
      if (ACRONYMS.has(word.toLowerCase())) return word.toUpperCase();
      return i === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word.toLowerCase();
    })
    .join(' ');
}

/** True when a text contains what a user types to find it, in any case. */
export function hasTyped(text: string, typed: string): boolean {
  return text.toLowerCase().includes(typed.trim().toLowerCase());
}

/** The name of a model for people, also before it is known. */
export function getTitleOf({ plural }: Pick<NamedModel, 'plural'>, model: NamedModel | undefined): string {
  return model === undefined ? humanize(plural) : getModelTitle(model);
}

/** The name of one object of a model for people, also before the model is known. */
export function getKindTitle(
  { plural }: Pick<NamedModel, 'plural'>,
  model: (NamedModel & { readonly kindTitle?: string }) | undefined,
): string {
  return model?.kindTitle ?? humanize(model?.kind ?? plural);
}

/** {@link getKindTitle} within a sentence. */
export function getKindInText(...[ref, model]: Parameters<typeof getKindTitle>): string {
  return model?.kindTitle ?? getKindTitle(ref, model).toLowerCase();
}

/** The name of a model for people: the title of its schema, or its plural with the words of its kind. */
export function getModelTitle({ kind, plural, schema }: NamedModel): string {
  const { title } = schema;
  if (typeof title === 'string' && title.trim() !== '') return title;
  let same = 0;
  while (same < kind.length && kind[same]?.toLowerCase() === plural[same]) same++;
  // `categories` of `Category` end differently, and `people` of `Person` are another word.
  const isOfKind = same > 0 && same >= kind.length - 1;
  return humanize(isOfKind ? kind.slice(0, same) + plural.slice(same) : plural);
}
