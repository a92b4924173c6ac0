import { expect } from './expect.js';
import type { Answer, Get, PastGet, Question, Read, Seen, Segment, Walk } from './history.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import type { Truth } from './truth.js';

/** Compares what clients have read with the truth. */
export class ReadCheck {
  constructor(private readonly truth: readonly Truth[]) {}

  get(get: Get): void {
    const { model, name, revision, floor, wasBehind } = get;
    const changes = this.#of(model).filter((one) => one.name === name);
    // Without the object, any of the times when it did not exist may have been read.
    const wasRead = (one: Truth): boolean =>
      revision === 0 ? one.type === 'DELETED' : one.revision === revision;
    const isSomewhere = changes.some(wasRead) || revision === 0;
    expect(isSomewhere, 'a read has a state that was never stored', get);
    if (wasBehind) return;
    const ends = changes.flatMap((one, i) => (wasRead(one) ? [changes[i + 1]?.revision ?? Infinity] : []));
    if (revision === 0) ends.push(changes[0]?.revision ?? Infinity);
    const isRecent = ends.some((end) => end > floor);
    expect(isRecent, 'a read misses a change that was seen before', get, changes);
  }

  past(get: PastGet): void {
    const last = this.#of(get.model).findLast((one) => one.name === get.name && one.revision <= get.at);
    const wanted = last === undefined || last.type === 'DELETED' ? 0 : last.revision;
    expect(get.revision === wanted, 'a read of a past state has another one', get, last);
  }

  list({ question, ...answer }: Read): void {
    const { page = 1, size = Infinity } = question;
    const start = page === 1 ? 0 : (page - 1) * size;
    this.#answer(question, answer, (state) => state.slice(start, page * size));
  }

  /** Each part has the objects of its own moment that follow the last one of the part before. */
  walk({ question, limit, parts }: Walk): void {
    let last: Seen | undefined;
    for (const part of parts) {
      this.#answer(question, part, (state) => {
        const rest = state.filter((one) => last === undefined || order(question)(last, one) < 0);
        return rest.slice(0, limit);
      });
      last = part.items.at(-1) ?? last;
    }
    this.#whole({ question, limit, parts });
  }

  /** An object that was there during all of a walk is in it once. */
  #whole(walk: Walk): void {
    const names = walk.parts.flatMap(({ items }) => items.map(({ name }) => name));
    const states = walk.parts.map(({ revision }) => this.#stateAt(walk.question, revision));
    for (const { name, revision } of states[0] ?? []) {
      const stayed = states.every((state) =>
        state.some((one) => one.name === name && one.revision === revision),
      );
      const found = names.filter((one) => one === name).length;
      expect(!stayed || found === 1, 'a walk over parts has an object twice or not at all', name, walk);
    }
  }

  #answer(question: Question, answer: Answer, part: (state: Truth[]) => Truth[]): void {
    const { revision, floor, wasBehind, items, total } = answer;
    expect(wasBehind || revision >= floor, 'a list misses a change that was seen before', question, answer);
    const state = this.#stateAt(question, revision).sort(order(question));
    expect(total === state.length, 'a list has another total', question, answer, state);
    const wanted = part(state);
    expect(textOf(items) === textOf(wanted), 'a list differs from its revision', question, answer, wanted);
  }

  segment({ question, after, until, events }: Segment): void {
    const wanted = this.#of(question.model)
      .filter(({ revision }) => revision > after && revision <= until)
      .flatMap(({ type, name, revision, level, before }) => {
        const is = type !== 'DELETED' && level >= question.level;
        const was = before !== undefined && before.level >= question.level;
        if (is) return [`${was ? 'MODIFIED' : 'ADDED'} ${name} ${revision}`];
        return was ? [`DELETED ${name} ${revision}`] : [];
      });
    const got = events.map(({ type, name, revision }) => `${type} ${name} ${revision}`);
    const place = { after, until };
    expect(got.join() === wanted.join(), 'a watch has a gap or a repetition', question, place, got, wanted);
  }

  #of({ kind }: ResourceRef): Truth[] {
    return this.truth.filter((one) => one.kind === kind);
  }

  /** The objects that a question is about, at a revision. */
  #stateAt({ model, level }: Question, revision: number): Truth[] {
    const state = new Map<string, Truth>();
    for (const one of this.#of(model)) {
      if (one.revision > revision) break;
      if (one.type === 'DELETED') state.delete(one.name);
      else state.set(one.name, one);
    }
    return [...state.values()].filter((one) => one.level >= level);
  }
}

function order({ sort }: Question): (a: Seen, b: Seen) => number {
  return (a, b) => (sort === undefined ? 0 : a.level - b.level) || (a.name < b.name ? -1 : 1);
}

function textOf(items: readonly Seen[]): string {
  return items.map(({ name, op, revision }) => `${name} ${op} ${revision}`).join('\n');
}
