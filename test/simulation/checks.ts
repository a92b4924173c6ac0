import { check } from '../../src/store/check.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import type { Get, History, Question, Read, Seen, Segment } from './history.js';
import type { Truth } from './truth.js';
import type { Server } from './world.js';

function expect(holds: boolean, problem: string, ...shown: readonly unknown[]): void {
  if (!holds) throw new Error([problem, ...shown.map((one) => JSON.stringify(one))].join(': '));
}

/** The store agrees with itself. */
export async function checkStore({ service, engine }: Server): Promise<void> {
  for await (const found of check(service.store)) expect(false, 'the store disagrees with itself', found);
  await service.listCaches.idle();
  expect(engine.openSnapshots === 0, 'snapshots are left open', engine.openSnapshots);
}

/** Compares everything that clients have seen with the truth. @throws Error for the first difference */
export function checkHistory(history: History, truth: readonly Truth[]): void {
  checkWrites(history, truth);
  for (const get of history.gets) checkGet(get, truth);
  for (const read of history.reads) checkRead(read, truth);
  for (const segment of history.segments) checkSegment(segment, truth);
}

function checkWrites({ writes }: History, truth: readonly Truth[]): void {
  const byRevision = new Map(truth.map((one) => [one.revision, one]));
  const kept = truth.filter(({ type }) => type !== 'DELETED');
  for (const write of writes) {
    const { verb, op, name, outcome, floor, basedOn } = write;
    const stored = kept.filter((one) => one.op === op);
    expect(stored.length <= 1, 'a write is stored twice', write, stored);
    if (outcome !== undefined && 'refused' in outcome)
      expect(stored.length === 0, 'a refused write is stored', write, stored);
    for (const one of stored)
      if (verb === 'update')
        expect(
          one.before?.revision === basedOn,
          'an update replaces another state than it is of',
          write,
          one,
        );
    if (outcome === undefined || 'refused' in outcome) continue;
    const found = byRevision.get(outcome.revision);
    const isFound =
      found?.kind === write.model.kind &&
      found.name === name &&
      (verb === 'delete' ? found.type === 'DELETED' : found.op === op && found.type !== 'DELETED');
    expect(isFound, 'an answered write is lost', write, found);
    expect(outcome.revision > floor, 'a write has an earlier revision than was seen before it', write);
  }
}

/** The objects of a model at a revision that a question is about. */
function stateAt({ model, level }: Question, revision: number, truth: readonly Truth[]): Truth[] {
  const state = new Map<string, Truth>();
  for (const one of ofModel(model, truth)) {
    if (one.revision > revision) break;
    if (one.type === 'DELETED') state.delete(one.name);
    else state.set(one.name, one);
  }
  return [...state.values()].filter((one) => one.level >= level).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function ofModel({ kind }: ResourceRef, truth: readonly Truth[]): Truth[] {
  return truth.filter((one) => one.kind === kind);
}

function checkGet(get: Get, truth: readonly Truth[]): void {
  const { model, name, revision, floor, wasBehind } = get;
  const changes = ofModel(model, truth).filter((one) => one.name === name);
  // Without the object, any of the times when it did not exist may have been read.
  const wasRead = (one: Truth): boolean =>
    revision === 0 ? one.type === 'DELETED' : one.revision === revision;
  const isSomewhere = changes.some(wasRead) || revision === 0;
  expect(isSomewhere, 'a read has a state that was never stored', get);
  if (wasBehind) return;
  const ends = changes.flatMap((one, i) => (wasRead(one) ? [changes[i + 1]?.revision ?? Infinity] : []));
  if (revision === 0) ends.push(changes[0]?.revision ?? Infinity);
  expect(
    ends.some((end) => end > floor),
    'a read misses a change that was seen before',
    get,
    changes,
  );
}

function checkRead(read: Read, truth: readonly Truth[]): void {
  const { question, revision, floor, wasBehind, items, total } = read;
  expect(wasBehind || revision >= floor, 'a list misses a change that was seen before', read);
  const state = stateAt(question, revision, truth);
  if (question.sort !== undefined) state.sort((a, b) => a.level - b.level);
  expect(total === state.length, 'a list has another total', read, state);
  const { page = 1, size = Infinity } = question;
  const wanted = state.slice(page === 1 ? 0 : (page - 1) * size, page * size);
  expect(textOf(items) === textOf(wanted), 'a list differs from the state of its revision', read, wanted);
}

function textOf(items: readonly Seen[]): string {
  return items.map(({ name, op, revision }) => `${name} ${op} ${revision}`).join('\n');
}

function checkSegment({ question, after, until, events }: Segment, truth: readonly Truth[]): void {
  const wanted = ofModel(question.model, truth)
    .filter(({ revision }) => revision > after && revision <= until)
    .flatMap(({ type, name, revision, level, before }) => {
      const is = type !== 'DELETED' && level >= question.level;
      const was = before !== undefined && before.level >= question.level;
      if (is) return [`${was ? 'MODIFIED' : 'ADDED'} ${name} ${revision}`];
      return was ? [`DELETED ${name} ${revision}`] : [];
    });
  const got = events.map(({ type, name, revision }) => `${type} ${name} ${revision}`);
  expect(
    got.join() === wanted.join(),
    'a watch has a gap or a repetition',
    question,
    { after, until },
    got,
    wanted,
  );
}
