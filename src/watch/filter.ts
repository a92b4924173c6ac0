import { getMessage, ServiceError } from '../errors.js';
import { PendingConversion } from '../model/evolve/pending-conversion.js';
import type { ExtensionObject } from '../model/object.js';
import { canonical, type BoundCondition } from '../query/bound-condition.js';
import { NAME } from '../query/fields.js';
import { compile, type Values } from '../query/compile.js';
import type { IndexRecord } from '../store/index/index-record.js';
import type { Table, TableIndex } from '../store/table.js';
import type { Change, ChangeBatch, ObjectEvent } from '../store/log/change.js';

/**
 * Derives the events of a watcher with a condition: an object that begins to meet it is added, one that stops is
 * deleted. Both states are evaluated with the table's present declaration of the indexes.
 */
export class ChangeFilter {
  readonly #holds: ((values: Values) => boolean) | undefined;
  /** Equal for filters with the same events. */
  readonly #key: string;

  /** @param bound to the table */
  constructor(
    readonly table: Table,
    bound: BoundCondition,
  ) {
    this.#key = canonical(bound);
    this.#holds = bound.op === 'all' ? undefined : compile(bound);
  }

  /**
   * The events of the table's changes, in their order; watchers with the same condition share them.
   * @throws ServiceError `Expired` when it can no longer be determined that an object met the condition
   */
  events(batch: ChangeBatch): readonly ObjectEvent[] {
    return batch.eventsFor(this.#key, () => batch.changes.flatMap((change) => this.event(change) ?? []));
  }

  /**
   * The event of one change; undefined for a change that the watcher does not see.
   * @throws ServiceError as {@link events}
   */
  event(change: Change): ObjectEvent | undefined {
    const holds = this.#holds;
    if (holds === undefined) return change.as(change.type);
    const record = change.record();
    const before = change.previousRecord();
    const isIn = record !== undefined && holds(this.#getValues(change.name, record, () => change.object()));
    const wasIn =
      before !== undefined && holds(this.#getValues(change.name, before, () => change.previousObject()));
    if (isIn) return change.as(wasIn ? 'MODIFIED' : 'ADDED');
    return wasIn ? change.as('DELETED') : undefined;
  }

  #getValues(name: string, record: IndexRecord, object: () => ExtensionObject | undefined): Values {
    return (position) => {
      if (position === NAME) return [Buffer.from(name)];
      const index = this.table.indexes[position];
      if (index === undefined) return [];
      // A record that is older than the present declaration of the index has no values for it.
      return record.values.get(index.id) ?? valuesAnew(this.table, index, object());
    };
  }
}

function valuesAnew(table: Table, index: TableIndex, object: ExtensionObject | undefined): readonly Buffer[] {
  let reason = 'the code that declares it is not loaded';
  if (table.scheme !== undefined && index.declared !== undefined && object !== undefined) {
    try {
      return index.declared.values(table.toStorage(object));
    } catch (error) {
      if (error instanceof PendingConversion) throw error;
      reason = getMessage(error);
    }
  }
  throw new ServiceError(
    'Expired',
    `index ${index.name} was rebuilt; its earlier values are gone: ${reason}; list again`,
  );
}
