import { expect } from 'vitest';
import type { HttpAnswer } from '../helpers/http.js';
import { FOLDERS, MEMOS } from '../helpers/limited-notes.js';
import { openStream, type OpenStream } from '../helpers/watching.js';
import { marksIn, marksOf, mayUse, seenOf, sees, seesWhole } from './role-oracle.js';
import type { Known, Member, State, World } from './role-world.js';

/** A member at the doors of a world. */
export interface Visit {
  readonly world: World;
  readonly member: Member;
  /** Counts a case. */
  readonly count: () => void;
}

/** A way in which objects, or facts about them, reach a member. */
export type Door = (visit: Visit) => Promise<void>;

export const last = ({ states }: Known): State => {
  const state = states.at(-1);
  if (state === undefined) throw new Error('an object has a state');
  return state;
};

function get(
  { world, member, count }: Visit,
  target: string,
  headers?: 'yaml' | 'table',
): Promise<HttpAnswer> {
  count();
  return world.opened.as(
    member.token,
    'GET',
    target,
    undefined,
    undefined,
    headers && { accept: ACCEPT[headers] },
  );
}

const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const ACCEPT = { yaml: 'application/yaml', table: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

export const visible = ({ world, member }: Visit): readonly Known[] =>
  world.memos.filter((memo) => seenOf(member.memos, last(memo)) !== undefined);

export const namesIn = (answer: HttpAnswer): unknown[] =>
  answer.json().items.map(({ metadata }) => metadata.name);
export const names = (known: readonly Known[]): string[] => known.map(({ name }) => name);

/** Marks of the present states of what the member may see. */
export function marksNow({ world, member }: Visit): ReadonlySet<string> {
  return new Set([
    ...world.memos.flatMap((memo) => marksIn(member.memos, last(memo))),
    ...world.folders.flatMap((folder) => marksIn(member.folders, last(folder))),
  ]);
}

/** Marks that a condition repeats are no leak. */
export function expectMarks(text: string, allowed: ReadonlySet<string>, asked: readonly string[] = []): void {
  const leaked = [...marksOf(text)].filter((mark) => !allowed.has(mark) && !asked.includes(mark));
  expect(leaked).toEqual([]);
}

const one: Door = async (visit) => {
  for (const memo of visit.world.memos) {
    const answer = await get(visit, `${MEMOS}/${memo.name}`);
    const seen = seenOf(visit.member.memos, last(memo));
    expect([memo.name, answer.status]).toEqual([memo.name, seen === undefined ? 404 : 200]);
    expect([...marksOf(answer.text)].sort()).toEqual([...marksIn(visit.member.memos, last(memo))].sort());
    expect(answer.text.includes('editors')).toBe(sees(seen, 'spec.editors'));
    expect(answer.text.includes('managedFields')).toBe(seen === 'all');
  }
};

const list: Door = async (visit) => {
  const answer = await get(visit, `${MEMOS}?page=1&size=3`);
  expect(answer.json().total).toBe(visible(visit).length);
  expect(namesIn(answer)).toEqual(names(visible(visit)).slice(0, 3));
  const all = await get(visit, MEMOS);
  const marks = visible(visit).flatMap((memo) => [...marksIn(visit.member.memos, last(memo))]);
  expect([...marksOf(all.text)].sort()).toEqual(marks.sort());
  const limited = await get(visit, `${MEMOS}?limit=1`);
  expect(namesIn(limited)).toEqual(names(visible(visit)).slice(0, 1));
  const { continue: token, remainingItemCount } = limited.json().metadata;
  if (typeof token !== 'string') return;
  expect(remainingItemCount).toBe(visible(visit).length - 1);
  const rest = await get(visit, `${MEMOS}?limit=10&continue=${encodeURIComponent(token)}`);
  expect(namesIn(rest)).toEqual(names(visible(visit)).slice(1));
};

const exports: Door = async (visit) => {
  const yaml = await get(visit, MEMOS, 'yaml');
  const marks = visible(visit).flatMap((memo) => [...marksIn(visit.member.memos, last(memo))]);
  expect([...marksOf(yaml.text)].sort()).toEqual(marks.sort());
  const table = await get(visit, `${MEMOS}?includeObject=Object`, 'table');
  expect(table.text.match(/"name":"memo\d"/g) ?? []).toHaveLength(visible(visit).length);
  expectMarks(table.text, marksNow(visit));
};

const FACTS = {
  'spec.owner': ({ owner }: State) => owner,
  'spec.team': ({ team }: State) => team,
  'spec.state': ({ state }: State) => state,
  'spec.title': ({ fields }: State) => fields.get('spec.title') ?? '',
  'spec.salary': ({ fields }: State) => fields.get('spec.salary') ?? '',
} as const;

const conditions: Door = async (visit) => {
  const { member } = visit;
  for (const [path, valueOf] of Object.entries(FACTS)) {
    const isUsable = mayUse(member.memos, path);
    const values = new Set(visit.world.memos.map((memo) => valueOf(last(memo))));
    for (const value of values) {
      const wanted = visible(visit).filter((memo) => valueOf(last(memo)) === value);
      for (const query of [
        `fieldSelector=${encodeURIComponent(`${path}=${value}`)}`,
        `filter=${encodeURIComponent(`${path} == ${JSON.stringify(value)}`)}`,
      ]) {
        const answer = await get(visit, `${MEMOS}?page=1&size=20&${query}`);
        expect(answer.status).toBe(isUsable ? 200 : 403);
        expectMarks(answer.text, marksNow(visit), [value]);
        if (isUsable) expect([answer.json().total, namesIn(answer)]).toEqual([wanted.length, names(wanted)]);
      }
    }
    const sorted = await get(visit, `${MEMOS}?sort=${path},desc`);
    expect(sorted.status).toBe(isUsable ? 200 : 403);
    if (isUsable) expect(namesIn(sorted).sort()).toEqual(names(visible(visit)));
  }
};

const numbers: Door = async (visit) => {
  for (const [path, valueOf] of Object.entries(FACTS)) {
    const counts = new Map<string, number>();
    for (const memo of visible(visit)) {
      const value = valueOf(last(memo));
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const wanted = [...counts].map(([value, count]) => `${value} ${count}`).sort();
    const isUsable = mayUse(visit.member.memos, path);
    const facets = await get(visit, `${MEMOS}?facets=${path}&size=1`);
    const groups = await get(visit, `${MEMOS}?aggregates=count&groupBy=${path}&size=1`);
    expect([facets.status, groups.status]).toEqual(isUsable ? [200, 200] : [403, 403]);
    expectMarks(facets.text + groups.text, marksNow(visit));
    if (!isUsable) continue;
    const { facets: found } = facets.json() as unknown as {
      facets: Record<string, { value: string; count: number }[]>;
    };
    expect((found[path] ?? []).map(({ value, count }) => `${value} ${count}`).sort()).toEqual(wanted);
    const { groups: grouped } = groups.json() as unknown as {
      groups: { items?: { count: number }[] } & { count: number }[];
    };
    expect(JSON.stringify(grouped).match(/"count":\d+/g)?.length ?? 0).toBe(counts.size);
  }
};

const search: Door = async (visit) => {
  const { memos } = visit.member;
  const hides = !seesWhole(memos) && memos.some(({ read }) => read !== undefined);
  for (const memo of visit.world.memos) {
    const word = last(memo).fields.get('spec.salary') ?? '';
    const answer = await get(visit, `${MEMOS}?search=${word}`);
    expect(answer.status).toBe(hides ? 403 : 200);
    expectMarks(answer.text, marksNow(visit), [word]);
    const isSeen = visible(visit).includes(memo);
    if (!hides) expect(namesIn(answer)).toEqual(isSeen ? [memo.name] : []);
  }
};

function openWatch({ world, member }: Visit, accept: string): Promise<OpenStream> {
  return openStream(
    `${world.opened.url()}${MEMOS}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&includeObject=Object`,
    { authorization: `Bearer ${member.token}`, accept },
  );
}

const shapes: Door = async (visit) => {
  const wanted = visible(visit);
  for (const accept of [ACCEPT.table, PARTIAL]) {
    visit.count();
    const stream = await openWatch(visit, accept);
    const events = await stream.take(wanted.length + 1);
    stream.destroy();
    expect(events).toHaveLength(wanted.length + 1);
    expectMarks(stream.text, marksNow(visit));
    const { member, world } = visit;
    const lists = { accept: accept.replace('PartialObjectMetadata', 'PartialObjectMetadataList') };
    const { text } = await world.opened.as(member.token, 'GET', MEMOS, undefined, undefined, lists);
    expectMarks(text, marksNow(visit));
    for (const memo of world.memos) {
      const isSeen = wanted.includes(memo);
      expect([memo.name, text.includes(`"${memo.name}"`), stream.text.includes(`"${memo.name}"`)]).toEqual([
        memo.name,
        isSeen,
        isSeen,
      ]);
    }
  }
};

const watch: Door = async (visit) => {
  visit.count();
  const wanted = visible(visit);
  const stream = await openWatch(visit, 'application/json');
  const events = await stream.take(wanted.length + 1);
  stream.destroy();
  expect(events.map(({ type, object }) => object.metadata.name ?? type)).toEqual([
    ...wanted.toSorted((a, b) => Number(last(a).revision) - Number(last(b).revision)).map(({ name }) => name),
    'BOOKMARK',
  ]);
  expectMarks(stream.text, marksNow(visit));
};

/** The changes of an object that reach a member: it sees the object before and after. */
function seenChanges({ member }: Visit, { states }: Known): readonly (readonly [State | undefined, State])[] {
  const changes = states.map((after, i) => [states[i - 1], after] as const);
  return changes.filter(([before, after]) =>
    [before, after].every((state) => state === undefined || seenOf(member.memos, state) !== undefined),
  );
}

const history: Door = async (visit) => {
  const { member, world } = visit;
  const allowed = new Set<string>();
  for (const memo of world.memos) {
    const changes = seenChanges(visit, memo);
    const marks = new Set(
      changes.flatMap(([before, after]) => {
        if (before === undefined) return [];
        const [old, next] = [seenOf(member.memos, before), seenOf(member.memos, after)];
        return [before, after].flatMap(({ fields }) =>
          [...fields].filter(([path]) => sees(old, path) && sees(next, path)).map(([, mark]) => mark),
        );
      }),
    );
    for (const mark of marks) allowed.add(mark);
    const answer = await get(visit, `${MEMOS}/${memo.name}/history`);
    expectMarks(answer.text, marks);
    const isKnown = answer.status === 200;
    const isSeenNow = seenOf(member.memos, last(memo)) !== undefined;
    if (changes.length === 0 && !isSeenNow) expect(isKnown).toBe(false);
    if (isKnown) expect(answer.json().items.length).toBeLessThanOrEqual(changes.length);
  }
  const all = await get(visit, `${MEMOS}/-/history`);
  expectMarks(all.text, allowed);
  const before = await get(visit, `${MEMOS}/-/history?before=true`);
  const old = world.memos.flatMap((memo) =>
    seenChanges(visit, memo).flatMap(([state]) => (state === undefined ? [] : marksIn(member.memos, state))),
  );
  expectMarks(before.text, new Set([...allowed, ...old]));
};

const past: Door = async (visit) => {
  for (const memo of visit.world.memos)
    for (const state of memo.states) {
      const target = `${MEMOS}/${memo.name}?resourceVersion=${state.revision}&resourceVersionMatch=Exact`;
      const answer = await get(visit, target);
      const isSeen = seenOf(visit.member.memos, state) !== undefined;
      expect(answer.status).toBe(isSeen ? 200 : 404);
      expect([...marksOf(answer.text)].sort()).toEqual([...marksIn(visit.member.memos, state)].sort());
    }
};

const references: Door = async (visit) => {
  const { member, world } = visit;
  const mayFollow = mayUse(member.memos, 'spec.folder');
  const mayAsk = mayFollow && mayUse(member.folders, 'spec.code');
  for (const folder of world.folders) {
    const code = last(folder).fields.get('spec.code') ?? '';
    const filter = encodeURIComponent(`ref(spec.folder).spec.code == ${JSON.stringify(code)}`);
    const answer = await get(visit, `${MEMOS}?page=1&size=20&filter=${filter}`);
    expect(answer.status).toBe(mayAsk ? 200 : 403);
    expectMarks(answer.text, marksNow(visit), [code]);
    const isSeen = seenOf(member.folders, last(folder)) !== undefined;
    const wanted = visible(visit).filter((memo) => isSeen && memo.folder === folder.name);
    if (mayAsk) expect([answer.json().total, namesIn(answer)]).toEqual([wanted.length, names(wanted)]);
    const path = `/apis/api.platform.run/v1alpha1/referrers?resource=folders.notes.example.com&name=${folder.name}`;
    const { items } = (await get(visit, path)).json();
    const referring = visible(visit).filter((memo) => memo.folder === folder.name);
    expect(items.map(({ total, names: found }) => [total, found])).toEqual(
      mayFollow ? [[referring.length, expect.arrayContaining(names(referring))]] : [],
    );
  }
};

const included: Door = async (visit) => {
  const { member, world } = visit;
  const mayFollow = mayUse(member.memos, 'spec.folder');
  const expanded = await get(visit, `${MEMOS}?expand=spec.folder`);
  expect(expanded.status).toBe(mayFollow ? 200 : 403);
  expectMarks(expanded.text, marksNow(visit));
  for (const memo of world.memos) {
    const answer = await get(visit, `${MEMOS}/${memo.name}?expand=spec.folder`);
    const isSeen = seenOf(member.memos, last(memo)) !== undefined;
    expect(answer.status).toBe(isSeen ? (mayFollow ? 200 : 403) : 404);
    expectMarks(answer.text, marksNow(visit));
  }
  for (const folder of world.folders) {
    const answer = await get(visit, `${FOLDERS}/${folder.name}`);
    expect([...marksOf(answer.text)].sort()).toEqual([...marksIn(member.folders, last(folder))].sort());
  }
};

const agents: Door = async (visit) => {
  const call = async (tool: string, args: object): Promise<string> => {
    visit.count();
    const { world, member } = visit;
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } };
    return (await world.opened.as(member.token, 'POST', '/mcp', message, 'application/json')).text;
  };
  const listed = await call('list', { model: 'memos' });
  expectMarks(listed, marksNow(visit));
  for (const memo of visible(visit)) expect(listed).toContain(memo.name);
  for (const memo of visit.world.memos) {
    const answer = await call('get', { model: 'memos', name: memo.name });
    const marks = marksIn(visit.member.memos, last(memo));
    expect([...marksOf(answer)].sort()).toEqual([...marks].sort());
    const all = new Set(
      seenChanges(visit, memo)
        .flat()
        .flatMap((state) => (state ? marksIn(visit.member.memos, state) : [])),
    );
    expectMarks(await call('history', { model: 'memos', name: memo.name }), all);
  }
};

export const DOORS: Readonly<Record<string, Door>> = {
  one,
  list,
  exports,
  conditions,
  numbers,
  search,
  shapes,
  watch,
  history,
  past,
  references,
  included,
  agents,
};
