import { badRequest, type ServiceError } from '../../errors.js';
import { asBuffer } from '../../lib/bytes.js';
import { yieldBetween } from '../../lib/work/yield.js';
import type { ListCaches } from '../../list/cache.js';
import { findMatches } from '../../list/execute.js';
import type { IdSet } from '../../list/filter/id-set.js';
import type { FilterRead, ReadStats } from '../../list/scope.js';
import { encodeValue, inCaseOf } from '../../model/key-type.js';
import { isNamespaced, namespacePrefix, splitFullName } from '../../model/full-name.js';
import { modelKey, qualifiedPlural, type Resource } from '../../model/resource.js';
import { bind, type BindRef } from '../../query/bind.js';
import { canonical, type BoundCondition, type TargetNames } from '../../query/bound-condition.js';
import { allOf, type Condition, type RefCondition } from '../../query/condition.js';
import { describe } from '../../query/describe.js';
import { getField, NAME, type QueryField } from '../../query/fields.js';
import { disjunction, conjunction } from '../../query/normal-form.js';
import type { VisitPair } from '../../store/engine.js';
import { allNames, idOfName, nameAt } from '../../store/index/names.js';
import { CHUNK, visitChunks } from '../../store/index/scan.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table } from '../../store/table.js';
import { refuseHiddenIn } from '../scope/hidden-fields.js';
import { conditionOf, type RelatedScopes } from '../scope/object-scope.js';
import type { ListExplanation } from '../verbs.js';
import { targetTable, type ListedModel, type Tables } from './target-model.js';

/** Most targets that may meet the condition on one reference: their names are in memory. */
const TARGETS_MAX = 250_000;

/** Names up to this number are always read one by one. */
const FEW = 32;
/** Names that can be read in their order in the time of one record. */
const NAMES_PER_RECORD = 4;
/** Entries of an index that can be read in the time of one range. */
const ENTRIES_PER_RANGE = 100;

/** The moment of a list, and the scopes of its sender. */
interface TargetReading {
  readonly view: ReadView;
  readonly tables: Tables;
  readonly stats: ReadStats;
  readonly caches: ListCaches;
  readonly related?: RelatedScopes | undefined;
}

/** The objects that meet a condition on the targets of a reference. */
interface Found {
  /** Equal for equal conditions, in any state of the store. */
  readonly identity: BoundCondition;
  readonly bound: BoundCondition;
}

/** The conditions of a list on the targets of its references. */
export class RefTargets {
  /** The parts of the conditions, as they were found. */
  readonly filters: ListExplanation['filters'][number][] = [];
  readonly #found = new Map<RefCondition, Found>();

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  readonly bind: BindRef = (condition) => this.#get(condition).bound;

  /** Binds to what is the same in every state of the store. */
  readonly bindIdentity: BindRef = (condition) => this.#get(condition).identity;

  /**
   * Finds the targets that meet the conditions within a condition, all of one moment.
   * @throws ServiceError `BadRequest` for a field that is not a reference or too many targets, `Forbidden`,
   * `ServiceUnavailable` while an index of a target's model is built
   */
  async find(condition: Condition, { table, resource }: ListedModel, reading: TargetReading): Promise<void> {
    for (const ref of refsIn(condition)) {
      const target = targetTable({ table, resource }, ref.field, reading.tables);
      const scope = reading.related?.list(target.resource);
      if (scope !== undefined) refuseHiddenIn(ref.of, target.resource, scope);
      const building = target.building();
      if (building !== undefined) throw building;
      const model = { table: target, resource: target.resource };
      await this.find(ref.of, model, reading);
      const within =
        scope === undefined ? ref : { ...ref, of: allOf([ref.of, conditionOf(scope, target.resource)]) };
      this.#found.set(ref, await this.#search(within, { table, resource }, model, reading));
    }
  }

  async #search(
    ref: RefCondition,
    referrer: ListedModel,
    target: ListedModel,
    reading: TargetReading,
  ): Promise<Found> {
    const { view, stats, caches } = reading;
    const { table, resource } = target;
    const of = bind(ref.of, resource, this.bind);
    const seen = stats.filters.length;
    const matches = await findMatches({ view, table, stats }, of, caches);
    const shown = `ref(${ref.field}): ${describe(of, resource)}`;
    this.#explain(ref, resource, stats.filters.splice(seen));
    if (matches.size > TARGETS_MAX) throw tooMany(ref, matches.size);
    const names = await readNames(table, matches, reading);
    const field = getField(referrer.resource, ref.field);
    const { revision } = await view.count(table);
    const { objects } = await view.count(referrer.table);
    const areMany = names.length > FEW && names.length * ENTRIES_PER_RANGE > objects;
    const key = `${modelKey(resource)} ${canonical(bind(ref.of, resource, this.bindIdentity))}`;
    return {
      identity: { op: 'in', index: field.index, values: [], targets: { key, shown, areMany } },
      bound: named(
        field,
        { referrer: referrer.resource, target: resource, names },
        { key: `${key}@${revision}`, shown, areMany },
      ),
    };
  }

  #explain({ field }: RefCondition, target: Resource, reads: readonly FilterRead[]): void {
    for (const { condition, from, matches } of reads) {
      const shown = `${qualifiedPlural(target)} of ${field}: ${describe(condition, target)}`;
      this.filters.push({ condition: shown, from, matches });
    }
  }

  #get(condition: RefCondition): Found {
    const found = this.#found.get(condition);
    if (found === undefined) throw new Error(`the targets of ${condition.field} were not searched`);
    return found;
  }
}

/** The names of objects. */
async function readNames(
  table: Table,
  matches: IdSet,
  { view, stats }: Pick<TargetReading, 'view' | 'stats'>,
): Promise<string[]> {
  const { objects } = await view.count(table);
  const names: string[] = [];
  if (matches.size * NAMES_PER_RECORD > objects) {
    stats.addEntries(objects);
    const visit: VisitPair = (value, place) => {
      if (matches.has(idOfName(value))) names.push(asBuffer(nameAt(place)).toString());
      return true;
    };
    const chunks = visitChunks(view.snapshot, allNames(table), { limit: CHUNK }, visit);
    for await (const _ of yieldBetween(chunks, stats.work));
    return names;
  }
  const ids = matches.toArray();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const chunk = ids.slice(at, at + CHUNK);
    names.push(...(await view.readNames(table, chunk)));
    stats.addRecords(chunk.length);
  }
  return names;
}

function refsIn(condition: Condition): RefCondition[] {
  switch (condition.op) {
    case 'ref':
      return [condition];
    case 'and':
    case 'or':
      return condition.of.flatMap(refsIn);
    case 'not':
    case 'any':
      return refsIn(condition.of);
    default:
      return [];
  }
}

interface Targets {
  readonly referrer: Resource;
  readonly target: Resource;
  /** Full names. */
  readonly names: readonly string[];
}

/** The objects whose field names one of the targets; between namespaced models, one in their own namespace. */
function named(field: QueryField, { referrer, target, names }: Targets, shared: TargetNames): BoundCondition {
  const among = (values: readonly string[], more = ''): BoundCondition =>
    values.length === 0
      ? { op: 'none' }
      : {
          op: 'in',
          index: field.index,
          values: encoded(field, values),
          targets: { ...shared, key: `${shared.key}${more}` },
        };
  if (!isNamespaced(referrer) || !isNamespaced(target)) return among(names);
  const byNamespace = new Map<string, string[]>();
  for (const full of names) {
    const { namespace = '', name } = splitFullName(full);
    const inside = byNamespace.get(namespace);
    if (inside === undefined) byNamespace.set(namespace, [name]);
    else inside.push(name);
  }
  return disjunction(
    [...byNamespace].map(([namespace, values]) => {
      const prefix = encodeValue('string', namespacePrefix(namespace));
      return conjunction([{ op: 'prefix', index: NAME, prefix }, among(values, ` ${namespace}`)], () => true);
    }),
  );
}

function encoded({ declaration }: QueryField, values: readonly string[]): Buffer[] {
  const bytes = values.map((value) => encodeValue(declaration.keyType, inCaseOf(declaration, value)));
  return bytes.sort((a, b) => Buffer.compare(a, b));
}

function tooMany({ field }: RefCondition, count: number): ServiceError {
  return badRequest(
    `ref(${field}): ${count} objects meet the condition on the targets; at most ${TARGETS_MAX} are possible`,
  );
}
