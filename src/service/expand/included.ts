import { badRequest } from '../../errors.js';
import { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import { INCLUDED } from '../../model/included.js';
import { splitFullName } from '../../model/full-name.js';
import { targetName } from '../../model/references/target-name.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import { CHUNK, readIndexRecords } from '../../store/index/scan.js';
import { parseObject } from '../../store/object-record.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table } from '../../store/table.js';
import { ObjectReader } from '../read/listed-objects.js';
import { ModelView } from '../read/view.js';
import { refuseHidden } from '../scope/hidden-fields.js';
import { mayBeIn, type ObjectScope, type RelatedScopes } from '../scope/object-scope.js';
import { ScopedModel } from '../scope/scoped-model.js';
import type { Branch } from './branches.js';

/** Most different objects to which one answer follows references; with those that do not exist. */
const TARGETS_MAX = 1_000;

/** Objects in one read. */
const READ_AT_ONCE = 100;

/** The objects from which references are followed. */
export interface Referrers {
  readonly table: Table;
  readonly ids: readonly number[];
}

/** The moment of the answer, and what its sender may see. */
export interface IncludedReading {
  readonly view: ReadView;
  readonly work?: Work | undefined;
  /** Default: everything. */
  readonly related?: RelatedScopes | undefined;
}

/**
 * The objects that references name, as the JSON of `Included`. Each is there once, as it is stored. Objects that do not exist,
 * cannot be converted, or that the sender may not read are left out, and not followed.
 * @throws ServiceError `BadRequest` for too many of them
 */
export async function readIncluded(
  from: Referrers,
  branches: readonly Branch[],
  reading: IncludedReading,
): Promise<Buffer> {
  const targets = new Targets(reading);
  await targets.follow(from, branches);
  return targets.json();
}

/** JSON with another last member. @param json of an object, or the end of it */
export function withIncluded(json: Buffer, included: Buffer): Buffer {
  const lead = json.at(-2) === OPEN[0] ? '' : ',';
  return Buffer.concat([json.subarray(0, -1), Buffer.from(`${lead}"${INCLUDED}":`), included, CLOSE]);
}

class Targets {
  /** Ids by full name; undefined for an object that does not exist. */
  readonly #ids = new Map<Table, Map<string, number | undefined>>();
  #count = 0;
  readonly #view: ReadView;
  readonly #work: Work;
  readonly #yielder: Yielder;
  readonly #related: RelatedScopes | undefined;
  readonly #scopes = new Map<Table, ObjectScope | undefined>();

  constructor({ view, work = new Work(), related }: IncludedReading) {
    this.#view = view;
    this.#work = work;
    this.#yielder = new Yielder(work);
    this.#related = related;
  }

  async follow(from: Referrers, branches: readonly Branch[]): Promise<void> {
    if (branches.length === 0) return;
    const named = branches.map((branch) => ({ branch, names: new Set<string>() }));
    for (let at = 0; at < from.ids.length; at += CHUNK) {
      const some = from.ids.slice(at, at + CHUNK);
      this.#work.addEntries(some.length);
      const records = await readIndexRecords(this.#view.snapshot, from.table, some);
      for (const { branch, names } of named)
        for (const record of records) for (const name of this.#targetsOf(record, branch)) names.add(name);
      if (this.#yielder.isDue) await this.#yielder.take();
    }
    for (const { branch, names } of named) {
      const { target, next } = branch;
      const ids = await this.#find(target, [...names]);
      const scope = this.#scopeOf(target);
      if (scope !== undefined) for (const { index } of next) refuseHidden(index.name, target.resource, scope);
      await this.follow({ table: target, ids: await this.#within(target, ids) }, next);
    }
  }

  #scopeOf(table: Table): ObjectScope | undefined {
    if (!this.#scopes.has(table)) this.#scopes.set(table, this.#related?.get(table.resource));
    return this.#scopes.get(table);
  }

  /** The objects whose references the sender may follow. */
  async #within(table: Table, ids: readonly number[]): Promise<readonly number[]> {
    const scope = this.#scopeOf(table);
    if (scope === undefined) return ids;
    const scoped = new ScopedModel(modelOf(table), scope);
    const stored = await this.#view.readMany(table, ids);
    return ids.filter((_id, i) => {
      const bytes = stored[i]?.bytes;
      return bytes !== undefined && scoped.fieldsOf(parseObject(bytes)) !== undefined;
    });
  }

  /** The objects, by model and name, in the order in which they were found. */
  async json(): Promise<Buffer> {
    const models: Member[] = [];
    for (const [table, ids] of this.#ids) {
      const objects = await this.#read(table, [...ids]);
      if (objects.length > 0) models.push({ name: qualifiedPlural(table.resource), json: objectOf(objects) });
    }
    return objectOf(models);
  }

  async #read(table: Table, targets: readonly (readonly [string, number | undefined])[]): Promise<Member[]> {
    const reader = new ObjectReader(modelOf(table), this.#work, this.#scopeOf(table));
    const found = targets.flatMap(([name, id]) => (id === undefined ? [] : [{ name, id }]));
    const members: Member[] = [];
    for (let at = 0; at < found.length; at += READ_AT_ONCE) {
      const some = found.slice(at, at + READ_AT_ONCE);
      const objects = await reader.readEach(
        this.#view,
        some.map(({ id }) => id),
      );
      for (const [i, { name }] of some.entries()) {
        const json = objects[i];
        if (json !== undefined) members.push({ name, json });
      }
      if (this.#yielder.isDue) await this.#yielder.take();
    }
    return members;
  }

  /** The names of targets that the sender may read. @throws ServiceError `BadRequest` for too many of them */
  #targetsOf(record: IndexRecord | undefined, { index, target }: Branch): readonly string[] {
    if (record === undefined) return [];
    const values = record.values.get(index.id) ?? [];
    const names = values.map((value) => targetName(target.resource, record.name, value.toString()));
    return names.filter((name) => this.#admit(target, name));
  }

  /** False for a target that the sender may not read. */
  #admit(target: Table, name: string): boolean {
    const ids = this.#ids.get(target) ?? new Map<string, number | undefined>();
    this.#ids.set(target, ids);
    if (ids.has(name)) return true;
    const scope = this.#scopeOf(target);
    if (scope !== undefined && !mayBeIn(scope, splitFullName(name).name)) return false;
    if (this.#count === TARGETS_MAX)
      throw badRequest(
        `expand: the objects refer to more than ${TARGETS_MAX} different objects; request a smaller page or fewer references`,
      );
    this.#count += 1;
    ids.set(name, undefined);
    return true;
  }

  /** Ids of the targets that exist. */
  async #find(target: Table, names: readonly string[]): Promise<readonly number[]> {
    const found = await this.#view.findIds(target, names);
    for (const [i, name] of names.entries()) this.#ids.get(target)?.set(name, found[i]);
    return found.filter((id) => id !== undefined);
  }
}

/** Included objects are in the version in which they are stored. */
function modelOf(table: Table): ModelView {
  return new ModelView(table, table.resource);
}

const OPEN = Buffer.from('{');
const CLOSE = Buffer.from('}');

interface Member {
  readonly name: string;
  readonly json: Buffer;
}

function objectOf(members: readonly Member[]): Buffer {
  const parts = members.flatMap(({ name, json }, i) => [
    Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`),
    json,
  ]);
  return Buffer.concat([OPEN, ...parts, CLOSE]);
}
