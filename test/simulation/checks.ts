import { check } from '../../src/store/check.js';
import { ReadCheck } from './check-reads.js';
import { WriteCheck } from './check-writes.js';
import { expect } from './expect.js';
import type { History } from './history.js';
import type { Truth } from './truth.js';
import type { Server } from './world.js';

/** The store agrees with itself. */
export async function checkStore({ service }: Server): Promise<void> {
  for await (const found of check(service.store)) expect(false, 'the store disagrees with itself', found);
  await service.listCaches.idle();
}

/** Compares everything that clients have seen with the truth. @throws Error for the first difference */
export function checkHistory(history: History, truth: readonly Truth[]): void {
  checkCommits(truth);
  checkLeaders(truth);
  const [writes, reads] = [new WriteCheck(truth), new ReadCheck(truth)];
  for (const commit of history.writes) writes.check(commit);
  for (const get of history.gets) reads.get(get);
  for (const get of history.pastGets) reads.past(get);
  for (const read of history.reads) reads.list(read);
  for (const walk of history.walks) reads.walk(walk);
  for (const segment of history.segments) reads.segment(segment);
}

/** After each commit no two notes have one slot, and each reference has its note. */
function checkCommits(truth: readonly Truth[]): void {
  const state = new Map<string, Truth>();
  for (const [i, one] of truth.entries()) {
    expect(one.revision === i + 1, 'a revision is missing in the log', one);
    const key = `${one.kind}/${one.name}`;
    if (one.type === 'DELETED') state.delete(key);
    else state.set(key, one);
    if (truth[i + 1]?.commit === one.commit) continue;
    const objects = [...state.values()];
    const slots = objects.map(({ slot }) => slot).filter((slot) => slot !== undefined);
    expect(new Set(slots).size === slots.length, 'two objects have one unique value', one, objects);
    // An object that is being deleted does not keep another one.
    for (const { name, targets } of objects.filter(({ isDeleting }) => !isDeleting))
      for (const target of targets)
        expect(state.has(`Note/${target}`), 'a reference has no object', { name, target }, one);
  }
}

/** After a leader has written, no earlier one writes. */
function checkLeaders(truth: readonly Truth[]): void {
  let newest = 0;
  for (const one of truth) {
    const { token, before } = one;
    if (token === undefined || token === before?.token) continue;
    expect(token >= newest, 'an earlier leader has written', one, newest);
    newest = token;
  }
}
