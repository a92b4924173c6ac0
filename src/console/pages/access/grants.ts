import { useMemo } from 'react';
import {
  getRole,
  getSubjects,
  ROLE_BINDINGS,
  ROLES,
  TOKENS,
  useAccessObjects,
  USERS,
} from '../../api/platform/access.js';
import type { StoredObject } from '../../api/objects.js';
import { objectAt, textAt } from '../../lib/json.js';

type Objects = readonly StoredObject[];

/** All objects of access, and those that belong together. */
export interface Grants {
  readonly users: Objects;
  readonly roles: Objects;
  /** By the name of a user. */
  readonly bindingsOf: ReadonlyMap<string, Objects>;
  /** The names of the users of a role, by its name. */
  readonly usersOf: ReadonlyMap<string, readonly string[]>;
  /** By the `metadata.uid` of a user. */
  readonly tokensOf: ReadonlyMap<string, Objects>;
  readonly bindings: Objects;
  /** Null without one. */
  readonly error: Error | null;
  readonly isPending: boolean;
}

const NONE: Objects = [];

export function useGrants(): Grants {
  const users = useAccessObjects(USERS);
  const roles = useAccessObjects(ROLES);
  const bindings = useAccessObjects(ROLE_BINDINGS);
  const tokens = useAccessObjects(TOKENS);
  const byUser = useMemo(() => groupBindings(bindings.data ?? NONE), [bindings.data]);
  const tokensOf = useMemo(
    () => groupBy(tokens.data ?? NONE, ({ spec }) => [textAt(spec, 'userUID') ?? '']),
    [tokens.data],
  );
  return {
    users: users.data ?? NONE,
    roles: roles.data ?? NONE,
    bindings: bindings.data ?? NONE,
    ...byUser,
    tokensOf,
    error: users.error ?? roles.error ?? bindings.error,
    isPending: [users, roles, bindings].some((one) => one.isPending),
  };
}

function groupBindings(bindings: Objects): Pick<Grants, 'bindingsOf' | 'usersOf'> {
  const bindingsOf = groupBy(bindings, getSubjects);
  const byRole = groupBy(bindings, (binding) => [getRole(binding) ?? '']);
  const usersOf = new Map(
    [...byRole].map(([role, those]) => [role, [...new Set(those.flatMap(getSubjects))].sort()]),
  );
  return { bindingsOf, usersOf };
}

function groupBy(
  objects: Objects,
  getKeys: (object: StoredObject) => readonly string[],
): ReadonlyMap<string, Objects> {
  const groups = new Map<string, StoredObject[]>();
  for (const object of objects)
    for (const key of new Set(getKeys(object))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [object]);
      else group.push(object);
    }
  return groups;
}

/** The names of the roles of a user, in order. */
export function getRolesOf(user: string, { bindingsOf }: Pick<Grants, 'bindingsOf'>): readonly string[] {
  return [...new Set((bindingsOf.get(user) ?? []).flatMap((binding) => getRole(binding) ?? []))].sort();
}

/** True for a user whose tokens are rejected. */
export function isDisabled({ spec }: StoredObject): boolean {
  return objectAt({ spec }, 'spec').disabled === true;
}
