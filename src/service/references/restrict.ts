import { unavailable, type ServiceError } from '../../errors.js';
import { targetName } from '../../model/references/target-name.js';
import { decodeIndexValues } from '../../store/index/index-record.js';
import { nameIn, valuesIn } from '../../store/object-record.js';
import { isMarked, type Incoming } from '../../store/index/referrers.js';
import { referrerPages } from '../../store/index/referrer-pages.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table } from '../../store/table.js';
import type { StoreTransaction } from '../../store/transaction.js';
import type { ServiceContext } from '../context.js';
import { referredTo } from './faults.js';
import { Keepers, type Referrer } from './keepers.js';
import type { ClearedRestrictions } from './cleared-restrictions.js';
import type { NamedTarget, Restriction, RefusalForm } from './work.js';
import { getDetails, getSubject } from '../object-errors.js';

/** Most referrers that are checked within a commit. */
const LOOKED_MAX = 1_000;

/** More objects refer to a deleted one than a commit should read. They are counted outside of it. */
export class TooManyReferrers extends Error {
  constructor(
    readonly restrictions: readonly Restriction[],
    readonly form: RefusalForm,
  ) {
    super('too many objects refer to a deleted one for a check in the commit');
  }
}

/** The known restrictions of deleted objects, and the form of a refusal. */
export interface Refusing extends RefusalForm {
  readonly cleared: ClearedRestrictions;
}

/**
 * Refuses a commit that deletes objects with references. Referrers that are deleted in it too, or are being deleted,
 * do not count.
 * @throws ServiceError `Conflict`, located; TooManyReferrers
 */
export function refuseReferred(
  tx: StoreTransaction,
  restrictions: readonly Restriction[],
  { cleared, ...form }: Refusing,
): void {
  let looked = 0;
  let first: Restriction | undefined;
  const keepers = new Keepers(form.mayList);
  for (const restriction of restrictions) {
    const { incoming, end } = restriction;
    const { table, reference } = incoming;
    if (first !== undefined && first.end.position !== end.position) break;
    if (cleared.holds(tx, restriction)) continue;
    for (const id of tx.referrers(incoming, end.name)) {
      if (++looked > LOOKED_MAX) throw new TooManyReferrers(ofItem(restrictions, end.position), form);
      const stored = tx.findById(table, id);
      if (
        stored === undefined ||
        isMarked(stored.bytes) ||
        goesLater(tx, restriction, { table, record: stored.record })
      )
        continue;
      first ??= restriction;
      keepers.add([{ table, name: nameIn(stored.record), field: reference.field }]);
    }
  }
  if (first === undefined) return;
  throw refusal(first, keepers, form);
}

function ofItem(restrictions: readonly Restriction[], position: number): readonly Restriction[] {
  return restrictions.filter(({ end }) => end.position === position);
}

/** True when an object also refers to a deferred one by a cascading field, so that it will be deleted later. */
function goesLater(tx: StoreTransaction, { end, isDeferred }: Restriction, stored: Referring): boolean {
  return isDeferred && goesWith(tx.incoming(end.table), end, stored);
}

/** An object that refers to another one. */
interface Referring {
  readonly table: Table;
  readonly record: Buffer;
}

/** @param incoming the references to the other object's model */
function goesWith(incoming: readonly Incoming[], target: NamedTarget, referring: Referring): boolean {
  const referrer = nameIn(referring.record);
  const values = decodeIndexValues(valuesIn(referring.record));
  return incoming.some(
    ({ table, index, reference }) =>
      table === referring.table &&
      reference.onDelete === 'cascade' &&
      values
        .get(index.id)
        ?.some((value) => targetName(target.table.resource, referrer, value.toString()) === target.name) ===
        true,
  );
}

/**
 * Counts the objects that prevent a deletion, in a new snapshot. Other requests run meanwhile.
 * @returns the refusal; undefined when no object prevents it, so that the commit can be tried again
 */
export async function refusalOfMany(
  { store }: ServiceContext,
  { restrictions, form }: TooManyReferrers,
  cleared: ClearedRestrictions,
): Promise<{ readonly error: unknown } | undefined> {
  const keepers = new Keepers(form.mayList);
  return store.within(async (view) => {
    for (const restriction of restrictions) {
      for await (const some of stayingReferrers(view, restriction, store.incoming(restriction.end.table)))
        keepers.add(some);
    }
    const [first] = restrictions;
    if (first === undefined) throw new Error('nothing restricts the deletion');
    if (keepers.total > 0) return { error: refusal(first, keepers, form) };
    for (const restriction of restrictions) {
      const { revision } = await view.count(restriction.incoming.table);
      if (!cleared.note(restriction, revision))
        return { error: form.located(first.end.position, changesTooFast(restriction)) };
    }
    return undefined;
  });
}

/** Referrers that are neither part of the cascade nor being deleted. */
async function* stayingReferrers(
  view: ReadView,
  { end, incoming }: Restriction,
  toTarget: readonly Incoming[],
): AsyncGenerator<readonly Referrer[]> {
  const { table, reference } = incoming;
  for await (const ids of referrerPages(view, incoming, end.name)) {
    const objects = await view.readMany(table, ids);
    yield objects.flatMap((stored) =>
      stored === undefined ||
      isMarked(stored.bytes) ||
      goesWith(toTarget, end, { table, record: stored.record })
        ? []
        : [{ table, name: nameIn(stored.record), field: reference.field }],
    );
  }
}

function changesTooFast({ end: { root }, incoming }: Restriction): ServiceError {
  const { kind } = incoming.table.resource;
  const { resource } = root.table;
  return unavailable(
    `${getSubject(resource, root.name)} is referred to by too many objects of ${kind}, which change during the check; try again`,
    getDetails(resource, root.name),
  );
}

function refusal({ end }: Restriction, keepers: Keepers, { located, mayList }: RefusalForm): unknown {
  return located(end.position, referredTo(end.root, end, keepers, mayList));
}
