import { formatExcerpt } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { isDnsLabel, isGroup } from '../../model/names-and-labels.js';
import { WRITE_VERBS } from '../../store/log/log.js';
import type { UnknownRecord } from '../records.js';
import type { ManifestFaults, ManifestPath } from './faults.js';

/** Actions that a plugin is permitted: every combination of the three lists. */
export interface PluginPermission {
  /** Groups of models; `""` is the legacy one, `*` means all. */
  readonly apiGroups: readonly string[];
  /** Plurals of models, and sub-resources like `persons/status`; `*` means all. */
  readonly resources: readonly string[];
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `escalate`; `*` means all. */
  readonly verbs: readonly string[];
}

const ALL = '*';
const PERMITTED_VERBS: readonly string[] = ['get', 'list', 'watch', ...WRITE_VERBS, 'escalate', ALL];

/** The check of one value of each list. It returns the text of a fault. */
const LISTS: Readonly<Record<keyof PluginPermission, (value: string) => string | undefined>> = {
  apiGroups: (value) =>
    value === ALL || isGroup(value) ? undefined : 'must be a group such as demo.example.com, "" or *',
  resources: (value) =>
    value === ALL || value.split('/').every(isDnsLabel)
      ? undefined
      : 'must be a plural such as persons, a sub-resource such as persons/status, or *',
  verbs: (value) => (PERMITTED_VERBS.includes(value) ? undefined : unknownVerb(value)),
};

const NAMES = ['apiGroups', 'resources', 'verbs'] as const satisfies readonly (keyof PluginPermission)[];
const FIELD = ['spec', 'permissions'] as const;

/** The permissions of a manifest; undefined when it has none, so that everything is permitted. */
export function checkPermissions(
  { permissions }: UnknownRecord,
  faults: ManifestFaults,
): readonly PluginPermission[] | undefined {
  if (permissions === undefined || permissions === null) return undefined;
  if (!Array.isArray(permissions)) {
    faults.add(FIELD, `must be a list of {${NAMES.join(', ')}}`);
    return undefined;
  }
  return permissions.map((item: unknown, i) => checkPermission(item, [...FIELD, i], faults));
}

function checkPermission(item: unknown, field: ManifestPath, faults: ManifestFaults): PluginPermission {
  if (!isRecord(item)) {
    faults.add(field, `must be a mapping with ${NAMES.join(', ')}`);
    return { apiGroups: [], resources: [], verbs: [] };
  }
  // A member that limits nothing, although its author believes so, would permit too much.
  for (const key of Object.keys(item))
    faults.expect(Object.hasOwn(LISTS, key), [...field, key], `is unknown; known: ${NAMES.join(', ')}`);
  const list = (name: keyof PluginPermission): readonly string[] =>
    checkList(item[name], LISTS[name], [...field, name], faults);
  return { apiGroups: list('apiGroups'), resources: list('resources'), verbs: list('verbs') };
}

function checkList(
  values: unknown,
  findFault: (value: string) => string | undefined,
  field: ManifestPath,
  faults: ManifestFaults,
): readonly string[] {
  if (!Array.isArray(values) || values.length === 0) {
    faults.add(field, values === undefined ? 'is required' : 'must be a list with at least one value');
    return [];
  }
  return values.map((value: unknown, i) => {
    const text = typeof value === 'string' ? value : '';
    const fault = text === value ? findFault(text) : 'must be a string';
    if (fault !== undefined) faults.add([...field, i], fault);
    return text;
  });
}

function unknownVerb(verb: string): string {
  return `"${formatExcerpt(verb)}" is not a verb; known: ${PERMITTED_VERBS.join(', ')}`;
}
