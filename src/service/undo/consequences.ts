import { asBuffer } from '../../lib/bytes.js';
import { splitFullName } from '../../model/full-name.js';
import type { ExtensionObject } from '../../model/object.js';
import { getOwners } from '../../model/owner-references.js';
import { referenceValues } from '../../model/references/reference.js';
import { targetName } from '../../model/references/target-name.js';
import { modelKey, type Resource } from '../../model/resource.js';
import { COLLECTOR, NAMESPACE_CLEANER } from '../../model/system-users.js';
import { logAfter, revisionInLogKey } from '../../store/index/keys.js';
import { decodeLogEntry } from '../../store/log/log.js';
import type { CurrentView } from '../../store/store.js';
import type { ServiceContext } from '../context.js';
import { CASCADE } from '../references/defer-deletion.js';
import { presentChange, readChanges, type PastCommitChange } from './commit-changes.js';

/** Most later entries of the log that are searched. */
const LOOKED_MAX = 200_000;
/** Entries that are read at once. */
const TOGETHER = 100;

/**
 * Finds the later changes that finish the deletions of a commit: objects whose owner or namespace it deleted, referring
 * objects of a cascade that was too large for one commit, and the removal of objects that it only marked.
 * @param changes of the commit
 */
export async function findConsequences(
  context: ServiceContext,
  current: CurrentView,
  changes: readonly PastCommitChange[],
): Promise<readonly PastCommitChange[]> {
  const ended = new Ended();
  for (const change of changes) ended.note(change);
  const last = changes.at(-1)?.revision;
  if (ended.isEmpty || last === undefined) return [];
  const users = await findCandidates(current, { after: last, ended, serviceUser: context.user ?? '' });
  const found: PastCommitChange[] = [];
  for await (const one of readSome(current, users)) {
    const change = presentChange(context, current, one);
    if (!ended.explains(change, users.get(change.revision) ?? '')) continue;
    ended.note(change);
    found.push(change);
  }
  return found;
}

/** Reads the changes of ascending revisions. */
async function* readSome(
  current: CurrentView,
  revisions: ReadonlyMap<number, string>,
): ReturnType<typeof readChanges> {
  let read = 0;
  for (const revision of revisions.keys()) {
    if (revision <= read) continue;
    // Neighbours are read together.
    read = revision + TOGETHER;
    for await (const one of readChanges(current, { first: revision, last: read }))
      if (revisions.has(one.change.revision)) yield one;
  }
}

interface Search {
  readonly after: number;
  readonly ended: Ended;
  /** Of the commits that continue a cascade. */
  readonly serviceUser: string;
}

/** The revisions of entries that may be such changes, with their users. */
async function findCandidates(
  { view }: CurrentView,
  { after, ended, serviceUser }: Search,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  let user = '';
  await view.snapshot.scanInPlace(logAfter(after), { limit: LOOKED_MAX }, (value, { bytes, start }) => {
    const entry = decodeLogEntry(asBuffer(value));
    user = entry.stamp?.user ?? user;
    const isSystem = user === COLLECTOR || user === NAMESPACE_CLEANER;
    const isCascade = ended.hasDeferred && user === serviceUser;
    if (isSystem || isCascade || ended.markedModels.has(entry.modelId))
      found.set(revisionInLogKey(asBuffer(bytes.subarray(start))), user);
    return true;
  });
  return found;
}

/** The objects that a commit and its consequences deleted, or began to delete. */
class Ended {
  readonly #uids = new Set<string>();
  readonly #namespaces = new Set<string>();
  /** By model. */
  readonly #named = new Map<string, { readonly resource: Resource; readonly names: Set<string> }>();
  /** The uids of marked objects that still exist. */
  readonly #marked = new Set<string>();
  /** Their models. */
  readonly markedModels = new Set<number>();
  /** True when the commit left a cascade for later commits. */
  hasDeferred = false;

  get isEmpty(): boolean {
    return this.#uids.size === 0;
  }

  note({ model, name, before, after }: PastCommitChange): void {
    if (before === undefined) return;
    const { uid } = before.metadata;
    const isMarked = after?.metadata.deletionTimestamp !== undefined;
    if (after === undefined) this.#marked.delete(uid);
    if (after !== undefined && !isMarked) return;
    const { resource } = model;
    if (isMarked) {
      this.#marked.add(uid);
      this.markedModels.add(model.table.modelId);
      if (after.metadata.finalizers?.includes(CASCADE) === true) this.hasDeferred = true;
    }
    this.#uids.add(uid);
    if (resource.kind === 'Namespace' && resource.group === '') this.#namespaces.add(name);
    const named = this.#named.get(modelKey(resource)) ?? { resource, names: new Set() };
    named.names.add(name);
    this.#named.set(modelKey(resource), named);
  }

  /** True when a later change follows from the deletions so far. */
  explains(change: PastCommitChange, user: string): boolean {
    const { before, name } = change;
    if (before === undefined) return false;
    if (this.#marked.has(before.metadata.uid)) return true;
    if (user === COLLECTOR) return getOwners(before).some(({ uid }) => this.#uids.has(uid));
    if (user === NAMESPACE_CLEANER) return this.#namespaces.has(splitFullName(name).namespace ?? '');
    return this.hasDeferred && this.#isReferring(change, before);
  }

  #isReferring({ model, name }: PastCommitChange, before: ExtensionObject): boolean {
    return model.table.references.some((reference) => {
      const target = this.#named.get(modelKey(reference));
      if (target === undefined || reference.onDelete === 'restrict') return false;
      const { resource, names } = target;
      return referenceValues(reference, before).some((value) =>
        names.has(targetName(resource, name, value.name)),
      );
    });
  }
}
