/** A plain search: it reads all texts for each question. It shares no code with the service. */

export interface TextObject {
  readonly name: string;
  readonly texts: readonly string[];
}

export interface Ranked {
  readonly name: string;
  readonly score: number;
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/ς/gu, 'σ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

interface Question {
  readonly words: readonly string[];
  readonly prefix: string | undefined;
  readonly phrases: readonly (readonly string[])[];
  readonly excluded: readonly (readonly string[])[];
}

function readQuestion(text: string): Question {
  const [words, phrases, excluded]: [string[], string[][], string[][]] = [[], [], []];
  let prefix: string | undefined;
  let at = 0;
  const isBlank = (character: string | undefined): boolean =>
    character !== undefined && /\s/u.test(character);
  while (at < text.length) {
    if (isBlank(text[at])) {
      at++;
      continue;
    }
    const isOut = text[at] === '-' && at + 1 < text.length && !isBlank(text[at + 1]);
    if (isOut) at++;
    const isPhrase = text[at] === '"';
    if (isPhrase) at++;
    const start = at;
    while (at < text.length && text[at] !== '"' && (isPhrase || !isBlank(text[at]))) at++;
    const found = wordsOf(text.slice(start, at));
    const isEnd = !isPhrase && at === text.length;
    if (isPhrase && text[at] === '"') at++;
    if (isOut) excluded.push(found);
    else if (isPhrase) {
      phrases.push(found);
      words.push(...found);
    } else {
      if (isEnd) prefix = found.pop();
      words.push(...found);
    }
  }
  return {
    words: [...new Set(words)],
    prefix,
    phrases,
    excluded: excluded.filter(({ length }) => length > 0),
  };
}

function isSideBySide(texts: readonly (readonly string[])[], phrase: readonly string[]): boolean {
  return texts.some((words) =>
    words.some((_, i) => phrase.every((wanted, distance) => words[i + distance] === wanted)),
  );
}

/** The matches of a search, best first. */
export function search(objects: readonly TextObject[], text: string): Ranked[] {
  const { words, prefix, phrases, excluded } = readQuestion(text);
  const all = objects.map(({ name, texts }) => {
    const parts = texts.map(wordsOf);
    return { name, parts, words: parts.flat() };
  });
  const terms = words.map((wanted) => (word: string) => word === wanted);
  if (prefix !== undefined) terms.push((word) => word.startsWith(prefix));
  const average = all.reduce((sum, one) => sum + one.words.length, 0) / all.length;
  const idfs = terms.map((isTerm) => {
    const df = all.filter((one) => one.words.some(isTerm)).length;
    return Math.log(1 + (all.length - df + 0.5) / (df + 0.5));
  });
  const matches = all.filter(
    (one) =>
      terms.every((isTerm) => one.words.some(isTerm)) &&
      phrases.every((phrase) => phrase.length === 0 || isSideBySide(one.parts, phrase)) &&
      !excluded.some((phrase) => isSideBySide(one.parts, phrase)),
  );
  const ranked = matches.map((one): Ranked => {
    const score = terms.reduce((sum, isTerm, i) => {
      const tf = one.words.filter(isTerm).length;
      const length = one.words.length / average;
      return sum + ((idfs[i] ?? 0) * tf * 2.2) / (tf + 1.2 * (0.25 + 0.75 * length));
    }, 0);
    return { name: one.name, score };
  });
  return ranked.sort((a, b) => {
    const isTie = Math.abs(a.score - b.score) <= 1e-10 * a.score;
    return isTie ? (a.name < b.name ? -1 : 1) : b.score - a.score;
  });
}
