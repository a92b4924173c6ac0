import { conflict, ServiceError } from '../../errors.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import type { HistoryItem, Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import { isMigrationUser } from '../../model/system-users.js';
import { getSubject } from '../output/written.js';
import type { Target } from '../targets.js';
import { allChanges } from '../../service/read/object-changes.js';

/** An object, and the state to restore. */
export interface Undoing {
  /** Undefined when it is deleted. */
  readonly live: ExtensionObject | undefined;
  readonly state: ExtensionObject;
}

/**
 * Finds the state of an object before its last change, or at a revision, in the present shape of its model. Automatic writes of the
 * service, of migrations and controllers do not count as changes.
 * @throws ServiceError `NotFound`, `Expired`, `BadRequest` as `getAt`; `Conflict` without an earlier state
 */
export async function readUndoing(verbs: Verbs, target: Target, revision?: string): Promise<Undoing> {
  const { resource, name } = target;
  const [live] = await verbs.getMany(resource, [name]);
  if (revision !== undefined) return { live, state: await verbs.getAt(resource, name, revision) };
  const last = await lastChange(verbs, target, live);
  return { live, state: await verbs.getAt(resource, name, String(Number(last.resourceVersion) - 1)) };
}

async function lastChange(
  verbs: Verbs,
  target: Target,
  live: ExtensionObject | undefined,
): Promise<HistoryItem> {
  const subject = getSubject(target.resource, target.name);
  if (live?.metadata.deletionTimestamp !== undefined)
    throw conflict(
      `${subject} is being deleted; this can be undone only after its removal; run \`xsvc describe\` to see what blocks it`,
    );
  for await (const item of allChanges(verbs, target)) {
    if (live === undefined) return item;
    if (item.verb === 'create')
      throw conflict(
        `${subject} was created at revision ${item.resourceVersion} and has no earlier state; ` +
          'delete it with `xsvc delete`, or name an earlier revision with --to',
      );
    if (isMigrationUser(item.user ?? '')) continue;
    if (item.changes.some(({ path }) => isOfAuthors(path))) return item;
  }
  throw new ServiceError('Expired', `the log has no change of ${subject} to undo`);
}

/** True for a field that an undo writes. */
export function isOfAuthors(path: string): boolean {
  return /^metadata\.(labels|annotations)\b/.test(path) || !/^(metadata|status)\b/.test(path);
}

/**
 * Writes the state as a new revision: spec, labels and annotations. Finalizers are unchanged, and so is the status of an existing
 * object.
 * @throws ServiceError `Conflict` when the object was changed since it was read, `AlreadyExists`, `Invalid`
 */
export function writeUndone(
  verbs: Verbs,
  { resource, name }: Target,
  undoing: Undoing,
  options: WriteOptions,
): Promise<WriteResult> {
  const draft = restoredDraft(undoing);
  return undoing.live === undefined
    ? verbs.create(resource, draft, options)
    : verbs.update(resource, name, draft, options);
}

/** The object to write for an earlier state. The live object's `resourceVersion` in it is a lock. */
export function restoredDraft({ live, state }: Undoing): ObjectDraft {
  const { apiVersion, kind, metadata, status, ...fields } = state;
  const { name, namespace, labels, annotations } = metadata;
  const {
    labels: _l,
    annotations: _a,
    ...kept
  }: NonNullable<ObjectDraft['metadata']> = live?.metadata ?? {
    name,
    ...(namespace !== undefined && { namespace }),
  };
  const stated = { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) };
  const draft: ObjectDraft = { apiVersion, kind, metadata: stated, ...fields };
  return live !== undefined || status === undefined ? draft : { ...draft, status };
}
