import { bind } from '../query/bind.js';
import { hasCode } from '../errors.js';
import { parseObject } from '../store/object-record.js';
import { ModelView, ViewReader } from '../service/read/view.js';
import { withHeldConversions } from '../model/evolve/pending-conversion.js';
import { modelKey } from '../model/resource.js';
import { readListOptions } from '../query/list-request.js';
import type { Change, ObjectEvent } from '../store/log/change.js';
import { readStep } from '../store/log/log-reader.js';
import type { ChangeType } from '../store/log/log.js';
import type { CurrentView, Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import { ChangeFilter } from '../watch/filter.js';
import { WEBHOOKS, type Webhook } from './webhook.js';

/** All webhooks read the log at the same time, so each reads only this number of bytes of objects, or one change. */
const READ_BYTES = 256 * 1024;

/** A change that a webhook must send. */
export interface Delivery {
  readonly id: string;
  readonly revision: number;
  readonly type: ChangeType;
  /** Of the change, in milliseconds since 1970. */
  readonly timeMs: number;
  readonly group: string;
  readonly kind: string;
  /** The full name of the object. */
  readonly name: string;
  readonly modelId: number;
  /** Undefined while it is not in memory. */
  body: Buffer | undefined;
  /** The length of the body. */
  readonly bytes: number;
}

/** A part of the log as deliveries, in the order of revisions. */
export interface ReadChanges {
  readonly deliveries: readonly Delivery[];
  /** Every change up to this revision was read. */
  readonly until: number;
  readonly isEnd: boolean;
  /** The revision up to which changes are missing, because they were removed from the log. */
  readonly lostUntil?: number;
}

/** The changes of the models of a webhook that meet its conditions. */
export class WebhookChanges {
  readonly #events: ReadonlySet<ChangeType> | undefined;
  readonly #seen = new Map<number, SeenModel>();
  /** The revision of all webhooks at which this one was last compared. */
  #comparedAt = -1;

  constructor(
    private readonly store: Pick<Store, 'withinCurrent'>,
    private readonly webhook: Webhook,
  ) {
    const { events } = webhook.spec;
    this.#events = events && new Set(events);
  }

  /**
   * Reads a bounded part of the log after a revision.
   * @param bytesMax of {@link readStep}
   * @returns undefined when the webhook was changed or removed: later changes of objects belong to its new state
   * @throws ServiceError while an index that a condition needs is built, and when a condition is no longer valid
   */
  async read(after: number, bytesMax = READ_BYTES): Promise<ReadChanges | undefined> {
    return this.store.withinCurrent(async (current) => {
      if (!(await this.#isCurrent(current))) return undefined;
      const { trimmed } = await current.view.logHead();
      if (after < trimmed) return { deliveries: [], until: trimmed, isEnd: false, lostUntil: trimmed };
      return await this.#readFrom(current, after, bytesMax);
    }, 'local');
  }

  async #isCurrent({ view, tables }: CurrentView): Promise<boolean> {
    const table = tables.get(modelKey(WEBHOOKS));
    if (table === undefined) return false;
    const { revision } = await view.count(table);
    if (revision === this.#comparedAt) return true;
    this.#comparedAt = revision;
    const { name, uid, generation } = this.webhook.metadata;
    const stored = await view.find(table, name);
    const metadata = stored && parseObject(stored.bytes).metadata;
    // While another process opens the store, readers may see an earlier state for a moment.
    return metadata?.uid === uid && metadata.generation <= generation;
  }

  async #readFrom(current: CurrentView, after: number, bytesMax: number): Promise<ReadChanges> {
    const { models } = this.webhook.spec;
    const tables = models.flatMap((model) => current.tables.get(modelKey(model)) ?? []);
    const { batches, until, isEnd } = await readStep(
      current,
      after,
      new Set(tables.map(({ modelId }) => modelId)),
      bytesMax,
    );
    const deliveries: Delivery[] = [];
    for (const { table, changes } of batches) {
      const seen = this.#see(table);
      const made = changes.map((change) => () => this.#deliveryOf(seen, change));
      const conversions = table.isRemote ? made : [];
      deliveries.push(
        ...(await withHeldConversions(conversions, () => made.flatMap((make) => make() ?? []))),
      );
    }
    return { deliveries: deliveries.sort((a, b) => a.revision - b.revision), until, isEnd };
  }

  #see(table: Table): SeenModel {
    const known = this.#seen.get(table.modelId);
    if (known?.table === table) return known;
    const seen = new SeenModel(table, this.webhook);
    this.#seen.set(table.modelId, seen);
    return seen;
  }

  #deliveryOf(seen: SeenModel, change: Change): Delivery | undefined {
    const event = seen.event(change);
    if (event === undefined || this.#events?.has(event.type) === false) return undefined;
    return this.#delivery(seen, change, event);
  }

  #delivery(seen: SeenModel, change: Change, event: ObjectEvent): Delivery {
    const { group, kind } = seen.table.resource;
    const { revision, timeMs, name } = change;
    const id = `${this.webhook.metadata.uid}-${revision}`;
    const { type } = event;
    const head = JSON.stringify({
      id,
      type,
      time: new Date(timeMs).toISOString(),
      resourceVersion: String(revision),
    });
    const parts: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"object":`)];
    const object = seen.shown(event.bytes);
    if (this.webhook.spec.payload === 'reference') parts.push(referenceTo(object));
    else {
      parts.push(object);
      // For an object that is gone, the last state is `object`.
      const old = type === 'DELETED' ? undefined : change.previousJson();
      if (old !== undefined) parts.push(OLD, seen.shown(old));
    }
    const { modelId } = seen.table;
    const body = Buffer.concat([...parts, END]);
    return { id, revision, type, timeMs, group, kind, name, modelId, body, bytes: body.length };
  }
}

const OLD = Buffer.from(',"old":');
const END = Buffer.from('}');

/** A model with the conditions of a webhook. */
class SeenModel {
  readonly #filter: ChangeFilter;
  readonly #view: ModelView;

  /** @throws ServiceError as {@link WebhookChanges.read} */
  constructor(
    readonly table: Table,
    { spec: { labelSelector, fieldSelector, filter } }: Webhook,
  ) {
    const { resource } = table;
    const { condition } = readListOptions(
      {
        ...(labelSelector !== undefined && { labelSelector }),
        ...(fieldSelector !== undefined && { fieldSelector }),
        ...(filter !== undefined && { filter }),
      },
      resource,
    );
    const building = condition.op === 'all' ? undefined : table.building();
    if (building !== undefined) throw building;
    this.#filter = new ChangeFilter(table, bind(condition, resource));
    this.#view = new ModelView(table, resource);
  }

  event(change: Change): ObjectEvent | undefined {
    try {
      return this.#filter.event(change);
    } catch (error) {
      // It is not known if the object met the condition before: it is better to send too much.
      if (hasCode(error, 'Expired')) return change.as(change.type);
      throw error;
    }
  }

  /** An object in the storage version, or as stored when it cannot be converted. */
  shown(stored: Buffer): Buffer {
    const [shown] = new ViewReader(this.#view).readLogged([stored]);
    return Buffer.isBuffer(shown) ? shown : stored;
  }
}

function referenceTo(json: Buffer): Buffer {
  const { apiVersion, kind, metadata } = parseObject(json);
  const { name, namespace, uid, resourceVersion } = metadata;
  return Buffer.from(
    JSON.stringify({
      apiVersion,
      kind,
      metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion },
    }),
  );
}
