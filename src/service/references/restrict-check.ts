import { Yielder } from '../../lib/work/yield.js';
import { nameIn } from '../../store/object-record.js';
import type { ReadView } from '../../store/read-view.js';
import { isMarked, type Incoming } from '../../store/index/referrers.js';
import { referrerPages } from '../../store/index/referrer-pages.js';
import type { Table } from '../../store/table.js';
import type { ServiceContext } from '../context.js';
import { referredTo } from './faults.js';
import { compareReferrers, Keepers, type Referrer } from './keepers.js';
import type { Refusing } from './restrict.js';
import type { DeletedTarget, NamedTarget } from './work.js';

/**
 * Most objects of a cascade that are checked in advance; in a larger cascade, restrictions are found when their
 * object is due.
 */
const LOOKED_MAX = 100_000;

/** An object that prevents the deletion of another one, unless it is deleted too. */
interface Keeping {
  readonly incoming: Incoming;
  readonly id: number;
  readonly target: NamedTarget;
}

/**
 * Checks, before a deletion in many commits begins, that no object restricts its cascade. Other requests run
 * meanwhile, and may change the result.
 * @param cleared receives the targets without restrictions
 * @throws ServiceError `Conflict`
 */
export async function refuseIfRestricted(
  { store }: ServiceContext,
  end: DeletedTarget,
  { cleared, mayList }: Pick<Refusing, 'cleared' | 'mayList'>,
): Promise<void> {
  await store.within(async (view) => {
    const look = new RestrictCheck(view, (table) => store.incoming(table));
    if (!(await look.follow(end))) return;
    const { referrers, target } = await look.kept();
    if (target !== undefined) {
      const keepers = new Keepers(mayList);
      keepers.add(referrers);
      throw referredTo(end.root, target, keepers, mayList);
    }
    for (const incoming of store.incoming(end.table))
      cleared.note({ end, incoming }, (await view.count(incoming.table)).revision);
  });
}

class RestrictCheck {
  readonly #going = new Map<Table, Set<number>>();
  readonly #keeping: Keeping[] = [];
  readonly #yielder = new Yielder();
  #looked = 0;

  constructor(
    private readonly view: ReadView,
    private readonly incomingTo: (table: Table) => readonly Incoming[],
  ) {}

  /** @returns false when the cascade is too large to check */
  async follow(first: NamedTarget): Promise<boolean> {
    const targets: NamedTarget[] = [first];
    // The loop also visits the targets that it appends.
    for (const target of targets) {
      for (const incoming of this.incomingTo(target.table)) {
        if (incoming.reference.onDelete === 'clear') continue;
        for await (const ids of referrerPages(this.view, incoming, target.name)) {
          this.#looked += ids.length;
          if (this.#looked > LOOKED_MAX) return false;
          if (incoming.reference.onDelete === 'cascade') targets.push(...(await this.#take(incoming, ids)));
          else for (const id of ids) this.#keeping.push({ incoming, id, target });
          if (this.#yielder.isDue) await this.#yielder.take();
        }
      }
    }
    return true;
  }

  /**
   * Records members of the cascade.
   * @returns those that other objects may refer to
   */
  async #take({ table }: Incoming, ids: readonly number[]): Promise<NamedTarget[]> {
    const going = this.#going.get(table) ?? new Set();
    this.#going.set(table, going);
    const added = ids.filter((id) => !going.has(id));
    for (const id of added) going.add(id);
    if (this.incomingTo(table).length === 0) return [];
    const objects = await this.view.readMany(table, added);
    return objects.flatMap((stored) =>
      stored === undefined || isMarked(stored.bytes) ? [] : [{ table, name: nameIn(stored.record) }],
    );
  }

  /** The referrers that are not deleted, in order, and the target of the first one. */
  async kept(): Promise<{
    readonly referrers: readonly Referrer[];
    readonly target: NamedTarget | undefined;
  }> {
    const found: (Referrer & { readonly target: NamedTarget })[] = [];
    for (const { incoming, id, target } of this.#keeping) {
      const { table, reference } = incoming;
      if (this.#going.get(table)?.has(id) === true) continue;
      const [stored] = await this.view.readMany(table, [id]);
      if (stored === undefined || isMarked(stored.bytes)) continue;
      found.push({ table, name: nameIn(stored.record), field: reference.field, target });
    }
    found.sort(compareReferrers);
    return { referrers: found, target: found[0]?.target };
  }
}
