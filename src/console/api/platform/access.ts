import type { UseQueryResult } from '@tanstack/react-query';
import { arrayAt, objectAt, textAt } from '../../lib/json.js';
import { getJson, send } from '../http.js';
import { objectPath, getPath, type ModelRef } from '../models.js';
import { createObject, patchObject, type Metadata, type StoredObject } from '../objects.js';
import { useItems } from '../use-items.js';
import { getRule, type Rule } from './rules.js';

function accessModel(plural: string): ModelRef {
  return { group: 'access.platform.run', version: 'v1alpha1', plural };
}

export const USERS = accessModel('users');
export const ROLES = accessModel('roles');
export const ROLE_BINDINGS = accessModel('rolebindings');
export const TOKENS = accessModel('tokens');

const SIZE_MAX = '1000';

/** All objects of a model that has few. */
export function useAccessObjects(model: ModelRef): UseQueryResult<readonly StoredObject[]> {
  return useItems('access', `${getPath(model)}?size=${SIZE_MAX}`);
}

export interface RoleRule {
  readonly role: string;
  readonly rule: Rule;
}

/** A receiver of the role of a binding. */
export interface Subject {
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

/** A text for each subject, to look it up. */
export function getSubjectKey({ kind, name }: Subject): string {
  return `${kind} ${name}`;
}

export function getGroups(user: StoredObject | undefined): readonly string[] {
  return arrayAt(user?.spec, 'groups').filter((name) => typeof name === 'string');
}

/** A user and its groups: the subjects whose roles the user has. */
export function getSubjectsOf(user: string, users: readonly StoredObject[]): readonly Subject[] {
  const groups = getGroups(users.find(({ metadata }) => metadata.name === user));
  return [{ kind: 'User', name: user }, ...groups.map((name) => ({ kind: 'Group', name }) as const)];
}

/** The rights that bindings give to subjects: the rules of their roles, and of included roles. */
export function rulesOf(
  subjects: readonly Subject[],
  roles: readonly StoredObject[],
  bindings: readonly StoredObject[],
): readonly RoleRule[] {
  const byName = new Map(roles.map((role) => [role.metadata.name, role]));
  const keys = new Set(subjects.map(getSubjectKey));
  const given = bindings.filter((one) =>
    getSubjects(one).some((subject) => keys.has(getSubjectKey(subject))),
  );
  const names = new Set(given.flatMap((one) => getRole(one) ?? []));
  const rules: RoleRule[] = [];
  // A set also visits the members that are added meanwhile.
  for (const name of names) {
    const role = byName.get(name);
    for (const rule of arrayAt(role, 'rules')) rules.push({ role: name, rule: getRule(rule) });
    if (role !== undefined) for (const included of getIncluded(role)) names.add(included);
  }
  return rules;
}

/** The users and groups that a binding gives its role to. */
export function getSubjects(binding: StoredObject): readonly Subject[] {
  return arrayAt(binding, 'subjects').map(getSubject);
}

function getSubject(value: unknown): Subject {
  return { kind: textAt(value, 'kind') === 'Group' ? 'Group' : 'User', name: textAt(value, 'name') ?? '' };
}

export function getRole(binding: StoredObject): string | undefined {
  return textAt(objectAt(binding, 'roleRef'), 'name');
}

const INCLUDED = 'rbac.authorization.platform.run/dependencies';

/** The roles whose rules a role includes. */
export function getIncluded({ metadata }: StoredObject): readonly string[] {
  try {
    const names: unknown = JSON.parse(metadata.annotations?.[INCLUDED] ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

export async function createUser(name: string, displayName: string): Promise<void> {
  const spec = displayName === '' ? {} : { spec: { displayName } };
  await createObject(USERS, { metadata: { name }, ...spec });
}

export async function bindRole(subject: Subject, role: string): Promise<void> {
  // Names of groups may have characters that names of objects may not.
  const generateName = subject.kind === 'Group' ? `group-${role}-` : `${subject.name}-${role}-`;
  await createObject(ROLE_BINDINGS, {
    metadata: { generateName },
    roleRef: { apiGroup: USERS.group, kind: 'Role', name: role },
    subjects: [subject],
  });
}

/** Takes a subject out of a binding, which is deleted when it has no other. */
export async function unbind(subject: Subject, binding: StoredObject): Promise<void> {
  const { name, resourceVersion } = binding.metadata;
  const key = getSubjectKey(subject);
  const subjects = arrayAt(binding, 'subjects').filter((one) => getSubjectKey(getSubject(one)) !== key);
  if (subjects.length === 0) return deleteObject(ROLE_BINDINGS, binding.metadata);
  await patchObject(ROLE_BINDINGS, name, { metadata: { resourceVersion }, subjects });
}

export async function createRole(name: string, rules: readonly unknown[]): Promise<void> {
  await createObject(ROLES, { metadata: { name }, rules });
}

/** Replaces the rules of a role, unless it was changed since it was read. */
export async function saveRules({ metadata }: StoredObject, rules: readonly unknown[]): Promise<void> {
  const { name, resourceVersion } = metadata;
  await patchObject(ROLES, name, { metadata: { resourceVersion }, rules });
}

/** Tokens of a disabled user are rejected. */
export async function setDisabled(user: string, disabled: boolean): Promise<void> {
  await patchObject(USERS, user, { spec: { disabled } });
}

/** Replaces the groups of a user, unless it was changed since it was read. */
export async function setGroups({ metadata }: StoredObject, groups: readonly string[]): Promise<void> {
  const { name, resourceVersion } = metadata;
  await patchObject(USERS, name, { metadata: { resourceVersion }, spec: { groups } });
}

/** Browsers compute digests only for pages over TLS or from their own machine. */
export const canMakeTokens = isSecureContext;

/**
 * Creates a token for a user. Only its digest is sent and stored, so it can be displayed only now.
 * @param ttlMs its lifetime; undefined for unlimited
 */
export async function createToken(user: string, ttlMs: number | undefined): Promise<string> {
  const owner = await getJson(objectPath(USERS, user));
  const id = toHex(crypto.getRandomValues(new Uint8Array(10)));
  const token = `xsvc_${id}_${toBase64Url(crypto.getRandomValues(new Uint8Array(32)))}`;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  const spec = {
    user,
    userUID: textAt(objectAt(owner, 'metadata'), 'uid'),
    sha256: toHex(new Uint8Array(digest)),
    ...(ttlMs !== undefined && { expirationTimestamp: new Date(Date.now() + ttlMs).toISOString() }),
  };
  await createObject(TOKENS, { metadata: { name: id }, spec });
  return token;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Deletes an object, but not a newer one of the same name. */
export async function deleteObject(model: ModelRef, { name, uid }: Metadata): Promise<void> {
  await send(objectPath(model, name), { method: 'DELETE', body: { preconditions: { uid } } });
}
