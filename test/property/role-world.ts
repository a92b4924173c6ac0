import type { AccessRule } from '../../src/access/rules.js';
import { USERS } from '../../src/access/models.js';
import { APPLIED_MANIFESTS } from '../../src/model/applied-manifests.js';
import { getApiVersion } from '../../src/model/resource.js';
import type { Service } from '../../src/service/service.js';
import { openGuarded } from '../helpers/guarded-library.js';
import { FOLDER, MEMO, memoRule, registerNotes } from '../helpers/limited-notes.js';
import type { Random } from '../helpers/seed.js';

/** The values of the fields that rules show or hide, by dotted path. Each value is in one field of one state of one object only. */
export type Fields = ReadonlyMap<string, string>;

/** A state of an object. */
export interface State {
  readonly revision: string;
  readonly owner: string;
  readonly team: string;
  readonly state: string;
  readonly editors: readonly string[];
  readonly fields: Fields;
}

/** An object with its states, oldest first. */
export interface Known {
  readonly name: string;
  readonly folder?: string;
  readonly states: readonly State[];
}

/** A rule, and the same as code. */
export interface KnownRule {
  readonly rule: AccessRule;
  readonly holds: (state: State) => boolean;
  /** The fields that may be read, or written. Undefined: all. */
  readonly read: readonly string[] | undefined;
}

export interface Member {
  readonly user: string;
  readonly groups: readonly string[];
  readonly token: string;
  readonly memos: readonly KnownRule[];
  readonly folders: readonly KnownRule[];
  /** Rules to write memos; their fields are those that may be written. */
  readonly writes: readonly KnownRule[];
}

export interface World {
  readonly memos: readonly Known[];
  readonly folders: readonly Known[];
  readonly members: readonly Member[];
  readonly opened: Awaited<ReturnType<typeof openGuarded>>;
}

const OWNERS = ['ann', 'bob', 'cat'];
const TEAMS = ['red', 'blue'];
const STATES = ['draft', 'final'];
/** Fields of a memo whose values are marked. */
export const MARKED = [
  'spec.title',
  'spec.salary',
  'spec.nested.open',
  'spec.nested.closed',
  'metadata.annotations.note',
  'status.detail',
];
/** Paths that a rule may name. */
const PATHS = [
  ...['spec.owner', 'spec.team', 'spec.state', 'spec.editors', 'spec.folder', 'spec.title', 'spec.salary'],
  ...['spec.nested', 'spec.nested.open', 'metadata', 'metadata.annotations', 'metadata.labels'],
  ...['status', 'spec'],
];
const FILTERS: readonly {
  readonly text: string;
  readonly holds: (state: State, user: string, groups: readonly string[]) => boolean;
}[] = [
  { text: 'spec.owner == user', holds: ({ owner }, user) => owner === user },
  { text: '!(spec.owner == user)', holds: ({ owner }, user) => owner !== user },
  { text: 'spec.team in groups', holds: ({ team }, _user, groups) => groups.includes(team) },
  { text: 'spec.state == "final"', holds: ({ state }) => state === 'final' },
  { text: 'user in spec.editors', holds: ({ editors }, user) => editors.includes(user) },
  {
    text: 'spec.team == "red" && spec.state != "draft" || spec.owner == user && has(spec.editors)',
    holds: ({ team, state, owner, editors }, user) =>
      (team === 'red' && state !== 'draft') || (owner === user && editors.length > 0),
  },
  { text: '"red" in groups', holds: (_state, _user, groups) => groups.includes('red') },
];
/** Those of folders, which have an owner only. */
const FOLDER_FILTERS = FILTERS.slice(0, 2);

let marks = 0;

/** A value that is nowhere else. */
function mark(): string {
  return `k${(marks += 1)}z`;
}

function fieldsOf(paths: readonly string[]): Fields {
  return new Map(paths.map((path) => [path, mark()]));
}

function objectOf(fields: Fields, more: object): Record<string, unknown> {
  const get = (path: string): string | undefined => fields.get(path);
  const spec = {
    title: get('spec.title'),
    salary: get('spec.salary'),
    nested: { open: get('spec.nested.open'), closed: get('spec.nested.closed') },
    ...more,
  };
  const manifests = APPLIED_MANIFESTS.map((key) => [key, JSON.stringify({ spec })] as const);
  const note = get('metadata.annotations.note');
  return { metadata: { annotations: { note, ...Object.fromEntries(manifests) } }, spec };
}

/** Creates objects with a history, and members with rules. */
export async function makeWorld(random: Random): Promise<World> {
  const opened = await openGuarded({ register: registerNotes, mcp: 'write' });
  const folders: Known[] = [];
  for (let i = 0; i < 3; i++) folders.push(await makeFolder(opened, random, `folder${i}`));
  const memos: Known[] = [];
  for (let i = 0; i < 6; i++) memos.push(await makeMemo(opened, random, `memo${i}`));
  const members: Member[] = [];
  for (const user of OWNERS) members.push(await makeMember(opened, random, user));
  return { memos, folders, members, opened };
}

type Opened = World['opened'];

async function makeFolder(opened: Opened, random: Random, name: string): Promise<Known> {
  const fields = fieldsOf(['spec.code']);
  const owner = random.pick(OWNERS);
  const spec = { owner, code: fields.get('spec.code') };
  const { metadata } = await opened.service().create(FOLDER, { metadata: { name }, spec });
  const state = { owner, team: '', state: '', editors: [], fields, revision: metadata.resourceVersion };
  return { name, states: [state] };
}

async function makeMemo(opened: Opened, random: Random, name: string): Promise<Known> {
  const service = opened.service();
  const folder = `folder${random.below(3)}`;
  const states: State[] = [];
  for (let i = 0; i < 3; i++) {
    const facts = {
      owner: random.pick(OWNERS),
      team: random.pick(TEAMS),
      state: random.pick(STATES),
      editors: OWNERS.filter(() => random.chance(0.4)),
    };
    const fields = new Map([...fieldsOf(MARKED)].filter(([path]) => path !== 'status.detail' || i === 0));
    const detail = states[0]?.fields.get('status.detail') ?? fields.get('status.detail');
    if (detail !== undefined) fields.set('status.detail', detail);
    const { metadata, ...rest } = objectOf(fields, { ...facts, folder });
    const whole = { ...rest, status: { detail }, metadata: { ...(metadata as object), name } };
    const result = await writeState(service, name, whole, i);
    states.push({ ...facts, fields, revision: result.metadata.resourceVersion });
  }
  return { name, folder, states };
}

/** The second state is applied, so that the object has managers. */
function writeState(
  service: Service,
  name: string,
  object: Readonly<Record<string, unknown>>,
  position: number,
): Promise<{ readonly metadata: { readonly resourceVersion: string } }> {
  if (position === 0) return service.create(MEMO, object);
  if (position > 1) return service.update(MEMO, name, object);
  const { status: _, ...applied } = object;
  const whole = { apiVersion: getApiVersion(MEMO), kind: MEMO.kind, ...applied };
  return service.patch(MEMO, name, whole, 'apply', { fieldManager: 'm', forceConflicts: true });
}

async function makeMember(opened: Opened, random: Random, user: string): Promise<Member> {
  const groups = TEAMS.filter(() => random.chance(0.5));
  const ruleOf = (resource: string, filters: typeof FILTERS): KnownRule => {
    const filter = random.chance(0.7) ? random.pick(filters) : undefined;
    const read = random.chance(0.5) ? random.shuffled(PATHS).slice(0, random.below(6)) : undefined;
    const own =
      resource === 'memos' ? read : read?.filter((path) => path === 'spec' || path === 'spec.owner');
    const resources = [resource, `${resource}/history`];
    const limits = {
      ...(filter && { filter: filter.text }),
      ...(own && { fields: { read: own } }),
    };
    return {
      rule: memoRule(['get', 'list', 'watch'], limits, resources),
      holds: (state) => filter?.holds(state, user, groups) ?? true,
      read: own,
    };
  };
  const memos = random.many(1, 3, () => ruleOf('memos', FILTERS));
  const folders = random.many(1, 2, () => ruleOf('folders', FOLDER_FILTERS));
  const writes = random.many(0, 2, () => writeRule(random, user, groups));
  const relations = { apiGroups: ['api.platform.run'], resources: ['referrers'], verbs: ['list'] };
  const rules = [...memos, ...folders, ...writes].map(({ rule }) => rule);
  const token = await opened.tokenFor(user, ...rules, relations);
  await opened.service().patch(USERS, user, { spec: { groups } }, 'merge');
  return { user, groups, token, memos, folders, writes };
}

function writeRule(random: Random, user: string, groups: readonly string[]): KnownRule {
  const filter = random.chance(0.5) ? random.pick(FILTERS) : undefined;
  const write = random.chance(0.6) ? random.shuffled(PATHS).slice(0, random.below(6)) : undefined;
  const limits = { ...(filter && { filter: filter.text }), ...(write && { fields: { write } }) };
  return {
    rule: memoRule(['create', 'update', 'patch', 'delete'], limits),
    holds: (state) => filter?.holds(state, user, groups) ?? true,
    read: write,
  };
}
