import { ServiceError } from '../../errors.js';
import { joinFullName } from '../../model/full-name.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { ModelHistoryItem, ModelHistoryOptions, ModelHistoryPage, Verbs } from '../../service/verbs.js';
import { changesIn, eachModelChange, readModelPart } from './model-changes.js';
import type { Scope } from '../remote/namespaces.js';
import { isOfAuthors } from './undo.js';

/** The changes to take back. */
export interface Period {
  /** An RFC 3339 time, or an age. */
  readonly since: string;
  /** Undefined: those of everybody. */
  readonly user: string | undefined;
  readonly scope: Scope;
}

/** An object that was changed in a period. */
export interface Touched {
  readonly resource: Resource;
  /** The full name. */
  readonly name: string;
  /** Revision of the last change that was read. */
  readonly newest: string;
  /** The state before the first of the changes; undefined when that one created the object. */
  readonly before: ExtensionObject | undefined;
  /** Other users who changed the object after that. */
  readonly others: ReadonlySet<string>;
}

/** Knowledge about an object while its changes are read, newest first. */
interface Draft {
  readonly newest: string;
  readonly othersSoFar: Set<string>;
  /** The oldest of the changes to take back, so far. */
  first: ModelHistoryItem | undefined;
  others: ReadonlySet<string>;
}

/** The changed objects of a model. */
export interface TouchedObjects {
  readonly touched: readonly Touched[];
  /** The start of the period as a time, by the clock of the service. */
  readonly since: string;
}

/**
 * Finds the objects that were changed in a period. Automatic writes of the service and of controllers to status and finalizers do not
 * count as changes.
 * @param most greatest number of objects
 * @throws ServiceError `Expired` when the log begins after the start; `RequestEntityTooLarge`; `Forbidden`
 */
export async function findTouched(
  verbs: Verbs,
  resource: Resource,
  { since, user, scope }: Period,
  most: number,
): Promise<TouchedObjects> {
  const options: ModelHistoryOptions = { since, before: true };
  const first = await readModelPart(verbs, resource, options);
  checkKept(first);
  const drafts = new Map<string, Draft>();
  let count = 0;
  const changes = changesIn(eachModelChange(verbs, resource, options, { first, limit: 0 }), scope, 0);
  for await (const item of changes) {
    if (noteChange(drafts, item, user) && ++count > most) throw tooMany(most);
  }
  const touched: Touched[] = [];
  for (const [name, { newest, first: oldest, others }] of drafts)
    if (oldest !== undefined) touched.push({ resource, name, newest, before: stateBefore(oldest), others });
  return { touched, since: first.metadata.since ?? since };
}

/** Advice for an undo that is too large. */
export const NARROW = 'narrow it with a resource, names, -l, --user or a later --since';

/** The refusal of an undo of more objects than one commit may have. */
export function tooMany(most: number): ServiceError {
  return new ServiceError(
    'RequestEntityTooLarge',
    `more than ${most} objects would change in one commit; ${NARROW}`,
  );
}

/** @returns true when it is the first change of an object to take back */
function noteChange(drafts: Map<string, Draft>, item: ModelHistoryItem, user: string | undefined): boolean {
  const name = joinFullName(item);
  const draft = drafts.get(name) ?? {
    newest: item.resourceVersion,
    othersSoFar: new Set(),
    first: undefined,
    others: new Set(),
  };
  drafts.set(name, draft);
  if (!isCounted(item)) return false;
  if (user !== undefined && item.user !== user) {
    draft.othersSoFar.add(item.user ?? 'an unknown user');
    return false;
  }
  const isNew = draft.first === undefined;
  draft.first = item;
  draft.others = new Set(draft.othersSoFar);
  return isNew;
}

function isCounted({ verb, changes }: ModelHistoryItem): boolean {
  return verb === 'create' || verb === 'delete' || changes.some(({ path }) => isOfAuthors(path));
}

function stateBefore({
  verb,
  before,
  resourceVersion,
  ...item
}: ModelHistoryItem): ExtensionObject | undefined {
  if (verb === 'create') return undefined;
  if (before !== undefined) return before;
  throw new ServiceError(
    'InternalError',
    `the state of "${joinFullName(item)}" before revision ${resourceVersion} cannot be converted to the version of its model`,
  );
}

/** @throws ServiceError `Expired` when changes of the period may be missing */
function checkKept({ metadata: { oldest, oldestTime, since = '' } }: ModelHistoryPage): void {
  if (oldest === '1') return;
  if (oldestTime !== undefined && Date.parse(oldestTime) < Date.parse(since)) return;
  const start = oldestTime === undefined ? `revision ${oldest}` : `${oldestTime} (revision ${oldest})`;
  throw new ServiceError(
    'Expired',
    `the log begins at ${start}, so it does not have all changes since ${since}; use a later --since`,
  );
}
