import { badRequest, ServiceError } from '../../errors.js';
import { asBuffer } from '../../lib/bytes.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Change } from '../../store/log/change.js';
import { isStamped, type LogHead } from '../../store/log/log.js';
import { COMMIT_ENTRIES_MAX, readStamp, readStep } from '../../store/log/log-reader.js';
import { logAfter, revisionInLogKey } from '../../store/index/keys.js';
import { parseObject } from '../../store/object-record.js';
import type { CurrentView } from '../../store/store.js';
import type { Table } from '../../store/table.js';
import type { ServiceContext } from '../context.js';
import { inPresentShape } from '../read/past-shape.js';
import type { ModelView } from '../read/view.js';

/** A change of one object, with its states in the storage version and present shape of the model. */
export interface PastCommitChange {
  readonly revision: number;
  readonly model: ModelView;
  /** The full name. */
  readonly name: string;
  /** Undefined for a new object. */
  readonly before: ExtensionObject | undefined;
  /** Undefined for a removed object. */
  readonly after: ExtensionObject | undefined;
}

/** The revisions of a commit. */
export interface CommitRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the commit of a revision.
 * @throws ServiceError `BadRequest` for a future revision, `Expired` when the log may lack a part of the commit
 */
export async function findCommit({ view }: CurrentView, revision: number): Promise<CommitRange> {
  const head = await view.logHead();
  if (revision > head.revision)
    throw badRequest(`revision ${revision} is in the future: the store is at ${head.revision}`);
  if (revision <= head.trimmed) throw expired(revision, head);
  const { first } = await readStamp(view.snapshot, revision);
  // The first entry of the log may be a later one of its commit.
  if (head.trimmed > 0 && first <= head.trimmed + 1) throw expired(revision, head);
  return { first, last: await findLast({ view }, revision, head) };
}

function expired(revision: number, { trimmed }: LogHead): ServiceError {
  return new ServiceError(
    'Expired',
    `the commit of revision ${revision} is no longer in the log, which begins with ${trimmed + 1}`,
  );
}

/** The last revision before the next stamped entry. */
async function findLast(
  { view }: Pick<CurrentView, 'view'>,
  revision: number,
  head: LogHead,
): Promise<number> {
  let last = head.revision;
  await view.snapshot.scanInPlace(
    logAfter(revision),
    { limit: COMMIT_ENTRIES_MAX },
    (value, { bytes, start }) => {
      if (!isStamped(value)) return true;
      last = revisionInLogKey(asBuffer(bytes.subarray(start))) - 1;
      return false;
    },
  );
  return last;
}

/** Reads changes from the log, in the order of their revisions. Those of models that the store dropped are left out. */
export async function* readChanges(
  current: CurrentView,
  { first, last }: CommitRange,
): AsyncGenerator<{ readonly table: Table; readonly change: Change }> {
  const models = new Set([...current.tables.values()].map(({ modelId }) => modelId));
  for (let after = first - 1; after < last;) {
    const { batches, until, isEnd } = await readStep(current, after, models);
    for (const { table, changes } of batches)
      for (const change of changes) if (change.revision <= last) yield { table, change };
    if (isEnd) return;
    after = until;
  }
}

/** @throws ServiceError `NotFound` for a model that is not served; ConversionError */
export function presentChange(
  { models }: ServiceContext,
  { tables }: CurrentView,
  { table, change }: { readonly table: Table; readonly change: Change },
): PastCommitChange {
  const model = models.view(table.resource).current(tables);
  const { revision, name } = change;
  const before = change.previousJson();
  return {
    revision,
    model,
    name,
    before: before && presentState(model, before),
    after: change.type === 'DELETED' ? undefined : presentState(model, change.json()),
  };
}

function presentState(model: ModelView, json: Buffer): ExtensionObject {
  const object = parseObject(json);
  const revision = Number(object.metadata.resourceVersion);
  return comparable(model, inPresentShape(model, { revision, json }) ?? object);
}

/** A state in the storage version, with the defaults of today: a later write of other fields has stored them. */
export function comparable(model: ModelView, state: ExtensionObject): ExtensionObject {
  const stored = model.toStorage(state);
  return model.table.scheme?.shownDefaults?.addTo(stored) ?? stored;
}
