import type { ReactNode } from 'react';
import {
  getGroups,
  getRole,
  getSubjects,
  getSubjectsOf,
  ROLE_BINDINGS,
  ROLES,
  TOKENS,
  USERS,
} from '../../api/platform/access.js';
import type { ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { arrayAt, textAt } from '../../lib/json.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import type { Column } from '../../parts/simple-table.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { getRolesOf, isDisabled, type Grants } from './grants.js';
import { ALL } from './matrix/cells.js';
import { FoundTable, Links, SubjectLinks } from './parts.js';
import { getGroupUrl, getRoleUrl, getUserUrl } from './place.js';
import { DeleteButton } from './write-dialog.js';

export type Columns = readonly Column<StoredObject>[];

interface ObjectTableProps {
  readonly title: string;
  readonly objects: readonly StoredObject[];
  readonly columns: Columns;
}

/** Objects of a model of access, with a search when there are many. */
export function ObjectTable({ title, objects, columns }: ObjectTableProps): ReactNode {
  return (
    <FoundTable
      label={t`Table: ${title}`}
      searchLabel={t`Find in ${title}`}
      rows={objects}
      getText={({ metadata, spec }) => `${metadata.name} ${getDisplayName(spec)}`}
      // A confirmation does not apply to another object of the same name.
      getKey={({ metadata }) => metadata.uid ?? metadata.name}
      columns={columns}
    />
  );
}

export function getUserColumns(grants: Grants): Columns {
  return [
    [
      t`Name`,
      (user) => (
        <>
          <a href={getUserUrl(user.metadata.name)}>{user.metadata.name}</a>
          {isDisabled(user) && <Badge word="disabled" tone="attention" />}
        </>
      ),
    ],
    [t`Display name`, ({ spec }) => getDisplayName(spec)],
    [
      t`Roles`,
      ({ metadata }) => (
        <Links names={getRolesOf(getSubjectsOf(metadata.name, grants.users), grants)} getUrl={getRoleUrl} />
      ),
    ],
    ...(grants.membersOf.size > 0 ? [getUserGroups()] : []),
    [t`Tokens`, ({ metadata }) => grants.tokensOf.get(metadata.uid ?? '')?.length ?? 0],
    getActions(USERS, t`Delete`),
  ];
}

export function getGroupColumns(grants: Grants): readonly Column<string>[] {
  return [
    [t`Name`, (name) => <a href={getGroupUrl(name)}>{name}</a>],
    [t`Roles`, (name) => <Links names={getRolesOf([{ kind: 'Group', name }], grants)} getUrl={getRoleUrl} />],
    [t`Members`, (name) => grants.membersOf.get(name)?.length ?? 0],
  ];
}

function getUserGroups(): Column<StoredObject> {
  return [t`Groups`, (user) => <Links names={getGroups(user)} getUrl={getGroupUrl} />];
}

export function getRoleColumns({ subjectsOf }: Grants): Columns {
  return [
    [t`Name`, ({ metadata: { name } }) => <a href={getRoleUrl(name)}>{name}</a>],
    [t`Rights`, (role) => <RoleSummary role={role} />],
    [t`Users`, ({ metadata }) => <SubjectLinks subjects={subjectsOf.get(metadata.name) ?? []} />],
    getActions(ROLES, t`Delete`),
  ];
}

export function getBindingColumns(): Columns {
  return [
    [t`Name`, ({ metadata: { name } }) => <a href={getObject(ROLE_BINDINGS, name)}>{name}</a>],
    [t`Role`, (binding) => <Links names={[getRole(binding) ?? '']} getUrl={getRoleUrl} />],
    [t`Users`, (binding) => <SubjectLinks subjects={getSubjects(binding)} />],
    getActions(ROLE_BINDINGS, t`Delete`),
  ];
}

/** @param hasUser false on the page of a user */
export function getTokenColumns(hasUser: boolean): Columns {
  return [
    [t`Name`, ({ metadata: { name } }) => <a href={getObject(TOKENS, name)}>{name}</a>],
    ...(hasUser ? [getOwner()] : []),
    [t`Age`, ({ metadata }) => <Age time={metadata.creationTimestamp} />],
    [t`Expires`, ({ spec }) => getExpiry(textAt(spec, 'expirationTimestamp'))],
    getActions(TOKENS, t`Revoke`),
  ];
}

function getOwner(): Column<StoredObject> {
  return [t`User`, ({ spec }) => <Links names={[textAt(spec, 'user') ?? '']} getUrl={getUserUrl} />];
}

function getActions(model: ModelRef, action: string): Column<StoredObject> {
  return [t`Actions`, ({ metadata }) => <DeleteButton model={model} metadata={metadata} action={action} />];
}

export function getDisplayName(spec: unknown): string {
  return textAt(spec, 'displayName') ?? '';
}

function getExpiry(time: string | undefined): ReactNode {
  return time === undefined ? t`never` : <Age time={time} isPhrase />;
}

const SUMMARY_MAX = 3;

function getResources(rule: unknown): readonly string[] {
  const groups = arrayAt(rule, 'apiGroups').map((group) => (group === ALL ? t`all groups` : String(group)));
  return arrayAt(rule, 'resources').map((one) =>
    one === ALL ? t`all of ${groups.join(', ')}` : String(one),
  );
}

/** The models of a role, in few words. */
function RoleSummary({ role }: { readonly role: StoredObject }): ReactNode {
  const rules = arrayAt(role, 'rules');
  const resources = [...new Set(rules.flatMap(getResources))];
  if (rules.some((rule) => arrayAt(rule, 'verbs').includes(ALL) && arrayAt(rule, 'resources').includes(ALL)))
    return t`Everything`;
  const [first, left] = [resources.slice(0, SUMMARY_MAX), resources.length - SUMMARY_MAX];
  if (first.length === 0)
    return <span className="faint">{rules.length === 0 ? t`none` : t`only paths`}</span>;
  return left > 0 ? t`${first.join(', ')} and ${left} more` : first.join(', ');
}
