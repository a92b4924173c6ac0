import { useMemo } from 'react';
import {
  getGroups,
  getRole,
  getSubjectKey,
  getSubjects,
  ROLE_BINDINGS,
  ROLES,
  TOKENS,
  useAccessObjects,
  USERS,
  type Subject,
} from '../../api/platform/access.js';
import type { StoredObject } from '../../api/objects.js';
import { groupBy } from '../../lib/group-by.js';
import { objectAt, textAt } from '../../lib/json.js';

type Objects = readonly StoredObject[];

/** All objects of access, and those that belong together. */
export interface Grants {
  readonly users: Objects;
  readonly roles: Objects;
  readonly bindings: Objects;
  /** By the key of a subject. */
  readonly bindingsOf: ReadonlyMap<string, Objects>;
  /** The users and groups of a role, by its name. */
  readonly subjectsOf: ReadonlyMap<string, readonly Subject[]>;
  /** The users of a group, by its name; of a group that only bindings name, none. */
  readonly membersOf: ReadonlyMap<string, Objects>;
  /** By the `metadata.uid` of a user. */
  readonly tokensOf: ReadonlyMap<string, Objects>;
  /** Null without one. */
  readonly error: Error | null;
  readonly isPending: boolean;
}

const NONE: Objects = [];

export function useGrants(): Grants {
  const users = useAccessObjects(USERS);
  const roles = useAccessObjects(ROLES);
  const bindings = useAccessObjects(ROLE_BINDINGS);
  const { data: tokens = NONE } = useAccessObjects(TOKENS);
  const { data: bound = NONE } = bindings;
  const { data: people = NONE } = users;
  const bySubject = useMemo(() => groupBindings(bound), [bound]);
  const membersOf = useMemo(() => getMembers(people, bound), [people, bound]);
  const tokensOf = useMemo(() => groupBy(tokens, ({ spec }) => [textAt(spec, 'userUID') ?? '']), [tokens]);
  return {
    users: people,
    roles: roles.data ?? NONE,
    bindings: bound,
    ...bySubject,
    membersOf,
    tokensOf,
    error: users.error ?? roles.error ?? bindings.error,
    isPending: [users, roles, bindings].some((one) => one.isPending),
  };
}

function groupBindings(bindings: Objects): Pick<Grants, 'bindingsOf' | 'subjectsOf'> {
  const byRole = groupBy(bindings, (binding) => [getRole(binding) ?? '']);
  return {
    bindingsOf: groupBy(bindings, (binding) => getSubjects(binding).map(getSubjectKey)),
    subjectsOf: new Map([...byRole].map(([role, those]) => [role, getUnique(those.flatMap(getSubjects))])),
  };
}

/** In the order of names. */
function getUnique(subjects: readonly Subject[]): readonly Subject[] {
  const byKey = new Map(subjects.map((subject) => [getSubjectKey(subject), subject]));
  return [...byKey.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function getMembers(users: Objects, bindings: Objects): ReadonlyMap<string, Objects> {
  const members = groupBy(users, getGroups);
  const named = bindings.flatMap(getSubjects).flatMap(({ kind, name }) => (kind === 'Group' ? name : []));
  const names = [...new Set([...members.keys(), ...named])].sort();
  return new Map(names.map((name) => [name, members.get(name) ?? NONE]));
}

/** The names of the roles of subjects, in order. */
export function getRolesOf(
  subjects: readonly Subject[],
  { bindingsOf }: Pick<Grants, 'bindingsOf'>,
): readonly string[] {
  const bindings = subjects.flatMap((subject) => bindingsOf.get(getSubjectKey(subject)) ?? NONE);
  return [...new Set(bindings.flatMap((binding) => getRole(binding) ?? []))].sort();
}

/** True for a user whose tokens are rejected. */
export function isDisabled({ spec }: StoredObject): boolean {
  return objectAt({ spec }, 'spec').disabled === true;
}
