import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import type { SearchText } from '../../query/search/search-text.js';
import type { ListScope, SearchRead } from '../scope.js';
import { findTexts, type TextSearch } from './find-texts.js';
import type { TextMatches } from './text-matches.js';
import { TextStates } from './text-states.js';

interface Kept {
  /** The table's last change in the snapshot of the matches. */
  readonly revision: number;
  /** That of the first part of the list; undefined for the present one. */
  readonly basis: string | undefined;
  readonly matches: TextMatches;
  readonly read: SearchRead;
}

/** The text index of a table in memory: its states, and the matches of searches, for the next page of the same list. */
export class TextCache {
  readonly #states: TextStates;
  readonly #matches: Cache<Kept>;

  /** @param bytesMax most memory of the matches of one search */
  constructor(
    budget: CacheBudget,
    private readonly bytesMax: number,
  ) {
    this.#states = new TextStates(budget);
    this.#matches = budget.cache('text-matches');
  }

  clear(): void {
    this.#states.clear();
    this.#matches.clear();
  }

  /** As `TableListCache.search`. */
  async find(
    scope: ListScope,
    text: SearchText,
    { objects, basis }: Pick<TextSearch, 'objects' | 'basis'>,
  ): Promise<TextMatches> {
    const { table, view, stats, revision } = scope;
    const index = table.textIndex;
    if (index === undefined) throw new Error(`the model ${table.resource.kind} has no text index`);
    const key = JSON.stringify(text);
    const known = this.#matches.get(key);
    if (known?.revision === revision && (known.basis === basis || known.matches.basis === basis)) {
      stats.search = { ...known.read, isKept: true };
      return known.matches;
    }
    const state = await this.#states.at(view.snapshot, index.id);
    const matches = await findTexts({ scope, index, state, objects, basis }, text);
    const read = {
      text,
      matches: matches.set.size,
      isKept: false,
      segments: state.state.parts.length,
      freshRows: state.state.nextRow - state.state.fresh.first,
    };
    stats.search = read;
    const bytes = matches.set.bytes + matches.ids.byteLength * 2;
    if (bytes <= this.bytesMax) this.#matches.set(key, { revision, basis, matches, read }, bytes);
    return matches;
  }
}
