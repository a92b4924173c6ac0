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
import { groupBy } from '../../lib/group-by.js';
import { objectAt, textAt } from '../../lib/json.js';

type Objects = readonly StoredObject[];

/** All objects of access, and those that belong together. */
export interface Grants {
  readonly users: Objects;
  readonly roles: Objects;
  readonly bindings: Objects;
  /** By the name of a user. */
  readonly bindingsOf: ReadonlyMap<string, Objects>;
  /** The names of the users of a role, by its name. */
  readonly usersOf: ReadonlyMap<string, readonly string[]>;
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
  const byUser = useMemo(() => groupBindings(bound), [bound]);
  const tokensOf = useMemo(() => groupBy(tokens, ({ spec }) => [textAt(spec, 'userUID') ?? '']), [tokens]);
  return {
    users: users.data ?? NONE,
    roles: roles.data ?? NONE,
    bindings: bound,
    ...byUser,
    tokensOf,
    error: users.error ?? roles.error ?? bindings.error,
    isPending: [users, roles, bindings].some((one) => one.isPending),
  };
}

function groupBindings(bindings: Objects): Pick<Grants, 'bindingsOf' | 'usersOf'> {
  const byRole = groupBy(bindings, (binding) => [getRole(binding) ?? '']);
  const namesIn = (those: Objects): readonly string[] => [...new Set(those.flatMap(getSubjects))].sort();
  return {
    bindingsOf: groupBy(bindings, getSubjects),
    usersOf: new Map([...byRole].map(([role, those]) => [role, namesIn(those)])),
  };
}

/** The names of the roles of a user, in order. */
export function getRolesOf(user: string, { bindingsOf }: Pick<Grants, 'bindingsOf'>): readonly string[] {
  return [...new Set((bindingsOf.get(user) ?? []).flatMap((binding) => getRole(binding) ?? []))].sort();
}

/** True for a user whose tokens are rejected. */
export function isDisabled({ spec }: StoredObject): boolean {
  return objectAt({ spec }, 'spec').disabled === true;
}
