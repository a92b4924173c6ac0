import { badRequest } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import { isTextIndex } from '../fields.js';
import { textOfWord, wordsOf, type Word } from '../../model/words.js';

/** Most different words of one search. */
export const SEARCH_WORDS_MAX = 100;

/**
 * The search of a list.
 * @throws ServiceError `BadRequest` as {@link parseSearch}, and for a model without a text index
 */
export function readSearch(text: string | undefined, resource: Resource): SearchText | undefined {
  const search = text === undefined ? undefined : parseSearch(text);
  if (search === undefined || resource.indexes.some(isTextIndex)) return search;
  throw badRequest(`search: ${resource.kind} has no text index; filter by its indexed fields instead`);
}

/** Begins the hash of a word that is cut: its prefixes are unknown. */
const CUT = '\0';

/** A parsed search: all of it must hold for an object. */
export interface SearchText {
  /** Different words that the object has, also those of the phrases. */
  readonly words: readonly Word[];
  /** The object has a word that begins with it. */
  readonly prefix: Word | undefined;
  /** At least two words each, which stand side by side in one text of the object. */
  readonly phrases: readonly (readonly Word[])[];
  /** Words and phrases that the object does not have. */
  readonly excluded: readonly (readonly Word[])[];
}

/**
 * Reads the text of a search. Blanks and quotes separate its parts: `word`, `"two words"`, `-word`, `-"two words"`. A
 * part is cut into words as the texts of objects are, so `foo-bar` requires the words `foo` and `bar`, `-foo-bar` excludes
 * them side by side, and `++` is no word. The last word is a prefix, unless white space or a quote follows, it is excluded,
 * or it is longer than the index keeps. A quote that is not closed ends at the end.
 * @returns undefined without words
 * @throws ServiceError `BadRequest` for exclusions alone, and for too many words
 */
export function parseSearch(text: string): SearchText | undefined {
  const words = new Set<Word>();
  const phrases = new Map<string, readonly Word[]>();
  const excluded = new Map<string, readonly Word[]>();
  let prefix: Word | undefined;
  for (const part of partsOf(text)) {
    const found = wordsOf(part.text);
    if (found.length === 0) continue;
    if (part.isExcluded) {
      excluded.set(found.join(' '), found);
      continue;
    }
    const last = found.at(-1);
    if (part.isLast && last?.includes(CUT) === false) {
      prefix = last;
      found.pop();
    }
    for (const word of found) words.add(word);
    if (part.isQuoted && found.length > 1) phrases.set(found.join(' '), found);
  }
  checkCount([...words, ...[...excluded.values()].flat(), ...(prefix === undefined ? [] : [prefix])]);
  if (words.size > 0 || prefix !== undefined)
    return { words: [...words], prefix, phrases: [...phrases.values()], excluded: [...excluded.values()] };
  if (excluded.size === 0) return undefined;
  throw badRequest('search: there are only excluded words; add a word that the objects must have');
}

function checkCount(words: readonly Word[]): void {
  const { size } = new Set(words);
  if (size > SEARCH_WORDS_MAX)
    throw badRequest(`search: at most ${SEARCH_WORDS_MAX} different words are possible, got ${size}`);
}

interface Part {
  readonly text: string;
  readonly isExcluded: boolean;
  readonly isQuoted: boolean;
  /** True when the end of the whole text follows. */
  readonly isLast: boolean;
}

const PART = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/gu;

function* partsOf(text: string): Generator<Part> {
  for (const match of text.matchAll(PART)) {
    const [whole, sign, quoted, plain = ''] = match;
    const isLast = quoted === undefined && match.index + whole.length === text.length;
    yield { text: quoted ?? plain, isExcluded: sign === '-', isQuoted: quoted !== undefined, isLast };
  }
}

/** The parts of a search, for people: `word`, `prefix*`, `"two words"`, `-word`. */
export function describeSearch({ words, prefix, phrases, excluded }: SearchText): string[] {
  return [
    ...words.map(textOfWord),
    ...(prefix === undefined ? [] : [`${textOfWord(prefix)}*`]),
    ...phrases.map(quoted),
    ...excluded.map((part) => `-${part.length === 1 ? textOfWord(part[0] ?? '') : quoted(part)}`),
  ];
}

function quoted(words: readonly Word[]): string {
  return `"${words.map(textOfWord).join(' ')}"`;
}
