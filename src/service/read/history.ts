import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import type { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import { ConversionError } from '../../model/evolve/conversion.js';
import { namePartsOf } from '../../model/full-name.js';
import type { ExtensionObject } from '../../model/object.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import {
  ObjectPast,
  oldestIn,
  type PastChange,
  type PastChanges,
  type PastObject,
} from '../../store/log/object-past.js';
import { getListParameter } from '../../query/list-parameters.js';
import { readNumber } from '../../query/list-request.js';
import { parseObject } from '../../store/object-record.js';
import { changedFields } from './changed-fields.js';
import type { ServiceContext } from '../context.js';
import type { FieldChange, HistoryItem, HistoryOptions, HistoryPage, ResourceRef } from '../verbs.js';
import type { ObjectScope } from '../scope/object-scope.js';
import { picked, ScopedModel, type ScopeFields } from '../scope/scoped-model.js';
import { inPresentShape } from './past-shape.js';
import { ViewReader, type ModelView } from './view.js';
import { objectNotFound } from '../object-errors.js';

/** Default number of changes in an answer. */
const LIMIT = 500;
/** An answer ends after this many bytes of objects: each change is computed from two of them. */
export const BYTES_MAX = 4 * 1024 * 1024;

/** Options for reading earlier states. */
export interface PastReading {
  /** Can stop the reading early, and counts it. Default: no limits. */
  readonly work?: Work | undefined;
  /** The part of the model that the sender may see. Default: the whole. */
  readonly scope?: ObjectScope | undefined;
}

/** The object whose history is requested. */
export interface AskedPast extends PastReading {
  readonly context: ServiceContext;
  readonly ref: ResourceRef;
  readonly name: string;
}

/**
 * The changes of an object, newest first; also of a deleted object, and of earlier objects with the same name.
 * @throws ServiceError `NotFound` when neither the store nor the log has an object of the name; `BadRequest`,
 * `Expired`
 */
export async function readHistory(asked: AskedPast, options: HistoryOptions): Promise<HistoryPage> {
  const limit = getLimit(options);
  const after = options.continue === undefined ? undefined : readContinue(options.continue);
  const { name, scope } = asked;
  return withPast(asked, async (past, model) => {
    let found = await past.read({ limit, bytesMax: BYTES_MAX, after });
    if (scope === undefined) {
      if (found.changes.length === 0 && after === undefined && !past.isLive)
        throw objectNotFound(model.resource, name);
      return pageOf(past, model, asked, found);
    }
    let page = await pageOf(past, model, asked, found);
    while (page.items.length === 0 && found.continue !== undefined) {
      found = await past.read({ limit, bytesMax: BYTES_MAX, after: found.continue });
      page = await pageOf(past, model, asked, found);
    }
    if (page.items.length === 0 && after === undefined && !(await isSeenNow(past, model, scope)))
      throw objectNotFound(model.resource, name);
    return page;
  });
}

async function isSeenNow(past: ObjectPast, model: ModelView, scope: ObjectScope): Promise<boolean> {
  const now = past.isLive ? await past.at(past.head.revision) : undefined;
  return now !== undefined && new ScopedModel(model, scope).fieldsOf(parseObject(now.json)) !== undefined;
}

/**
 * The state of an object at a revision of the store, as JSON, in the present shape of its model.
 * @throws ServiceError `NotFound` when no object of the name existed, `BadRequest` for an invalid or future revision,
 * `Expired` when the log no longer has it, `InternalError` when it cannot be converted, `Conflict` when the code of a
 * migration is missing
 */
export async function readPast(
  asked: AskedPast,
  resourceVersion: string,
): Promise<{ readonly revision: number; readonly json: Buffer }> {
  const revision = readRevision(resourceVersion);
  return withPast(asked, async (past, model) => {
    const found = await past.at(revision);
    if (found === undefined) throw notThere(model, asked.name, revision);
    const json = shownPast(model, found);
    if (asked.scope === undefined) return { revision: found.revision, json };
    const seen = new ScopedModel(model, asked.scope).show(json, found.json);
    if (seen === undefined) throw notThere(model, asked.name, revision);
    return { revision: found.revision, json: seen };
  });
}

function shownPast(model: ModelView, found: PastObject): Buffer {
  const present = inPresentShape(model, found);
  if (present !== undefined) return Buffer.from(JSON.stringify(present));
  const [shown] = new ViewReader(model).readLogged([found.json]);
  if (shown === undefined) throw new Error('one object has one text');
  if (shown instanceof ConversionError) throw shown;
  return shown;
}

async function withPast<T>(
  { context, ref, name, work }: AskedPast,
  read: (past: ObjectPast, model: ModelView) => Promise<T>,
): Promise<T> {
  const shown = context.models.view(ref);
  return context.store.withinCurrent(async ({ view, tables }) => {
    const model = shown.current(tables);
    return await read(await ObjectPast.open(view, model.table, name, work), model);
  });
}

async function pageOf(
  past: ObjectPast,
  model: ModelView,
  { name, work, scope }: AskedPast,
  found: PastChanges,
): Promise<HistoryPage> {
  const { resource } = model;
  const { items, ...notes } = await itemsOf(model, found.changes, { work, scope }, getItem);
  return {
    apiVersion: getApiVersion(resource),
    kind: `${resource.kind}History`,
    metadata: {
      ...namePartsOf(name),
      resourceVersion: String(past.head.revision),
      oldest: String(oldestIn(past.head)),
      ...(found.continue !== undefined && { continue: String(found.continue) }),
    },
    items,
    ...notes,
  };
}

/** The items of an answer for changes, with the warnings about their states. @param read undefined for a hidden change */
export async function itemsOf<C extends PastChange, I>(
  model: ModelView,
  changes: readonly C[],
  { work, scope }: PastReading,
  read: (change: C, states: StateReader) => I | undefined,
): Promise<{ readonly items: readonly I[]; readonly warnings?: readonly string[] }> {
  const states = new StateReader(model, scope);
  const yielder = new Yielder(work);
  const items: I[] = [];
  await model.withHeld(statesOf(changes), async () => {
    for (const change of changes) {
      const item = read(change, states);
      if (item !== undefined) items.push(item);
      if (yielder.isDue) await yielder.take();
    }
  });
  return { items, ...(states.warnings.length > 0 && { warnings: states.warnings }) };
}

/** The states before and after changes, each once. */
function statesOf(changes: readonly PastChange[]): readonly Buffer[] {
  return [...new Set(changes.flatMap(({ json, previousJson }) => [json, previousJson ?? json]))];
}

/** A change, with the fields that it changed; undefined for one that the sender may not see. */
export function getItem(
  { revision, verb, stamp, json, previousJson }: PastChange,
  states: StateReader,
): HistoryItem | undefined {
  const changes = previousJson === undefined ? [] : changesBetween(states, previousJson, json);
  if (states.isHidden(json, previousJson, changes)) return undefined;
  return {
    resourceVersion: String(revision),
    time: new Date(stamp.timeMs).toISOString(),
    ...(stamp.user !== '' && { user: stamp.user }),
    ...(stamp.via !== undefined && { via: stamp.via }),
    verb,
    changes,
  };
}

/** A state of an object: in the requested version, and as stored. */
interface State {
  readonly json: Buffer;
  /** Undefined when it cannot be converted. */
  readonly shown: ExtensionObject | undefined;
  /** The fields that the sender may see; undefined when it may not see the object. */
  readonly fields: ScopeFields | undefined;
}

/** States that cannot be converted to the version are compared as stored. */
function changesBetween(states: StateReader, beforeJson: Buffer, afterJson: Buffer): readonly FieldChange[] {
  // In the order of a history, so that the state before this change is in memory when the next one is read.
  const after = states.read(afterJson);
  const before = states.read(beforeJson);
  const { secretFields } = states;
  if (before.fields === undefined || after.fields === undefined) return [];
  const areConverted = before.shown !== undefined && after.shown !== undefined;
  const [from, to] = areConverted
    ? [before.shown, after.shown]
    : [parseObject(before.json), parseObject(after.json)];
  // A field counts when the sender may see it in both states.
  const [old, next] = [
    picked(picked(from, before.fields), after.fields),
    picked(picked(to, before.fields), after.fields),
  ];
  return changedFields(old, next, secretFields);
}

/** Reads states of an object in a version. The state between two consecutive changes is read once. */
export class StateReader {
  /** Warnings about states that cannot be converted to the version. */
  readonly warnings: string[] = [];
  readonly secretFields: Resource['secretFields'];
  readonly #view: ViewReader;
  readonly #scoped: ScopedModel | undefined;
  #last: State | undefined;

  /** @param scope the part of the model that the sender may see. Default: the whole */
  constructor(model: ModelView, scope?: ObjectScope) {
    this.secretFields = model.resource.secretFields;
    this.#view = new ViewReader(model);
    this.#scoped = scope && new ScopedModel(model, scope);
  }

  read(json: Buffer): State {
    const known = this.#last;
    if (known?.json === json) return known;
    return (this.#last = { json, shown: this.#show(json), fields: this.#fieldsOf(json) });
  }

  /** True for a change that the sender may not see: of another object, or only of other fields. */
  isHidden(json: Buffer, previousJson: Buffer | undefined, changes: readonly FieldChange[]): boolean {
    if (this.#scoped === undefined) return false;
    const after = this.read(json).fields;
    const before = previousJson === undefined ? 'all' : this.read(previousJson).fields;
    if (after === undefined || before === undefined) return true;
    const areAll = after === 'all' && before === 'all';
    return !areAll && previousJson !== undefined && changes.length === 0;
  }

  /** States that cannot be judged are not shown. */
  #fieldsOf(json: Buffer): ScopeFields | undefined {
    if (this.#scoped === undefined) return 'all';
    try {
      return this.#scoped.fieldsOf(parseObject(json));
    } catch (error) {
      if (error instanceof ConversionError) return undefined;
      throw error;
    }
  }

  #show(json: Buffer): ExtensionObject | undefined {
    const [shown] = this.#view.readLogged([json]);
    if (!(shown instanceof ConversionError)) return shown && parseObject(shown);
    if (!this.warnings.includes(shown.message)) this.warnings.push(shown.message);
    return undefined;
  }
}

function notThere({ resource }: ModelView, name: string, revision: number): ServiceError {
  const { message, details } = objectNotFound(resource, name);
  return new ServiceError('NotFound', `${message} at resourceVersion ${revision}`, details);
}

/** @throws ServiceError `BadRequest` */
export function readRevision(text: string): number {
  const revision = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(revision) && revision > 0) return revision;
  throw badRequest(
    `resourceVersion: "${formatExcerpt(text)}" is not a revision; it must be an integer from 1`,
  );
}

/** @throws ServiceError `BadRequest` */
export function readContinue(text: string): number {
  const revision = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(revision) && revision > 0) return revision;
  throw badRequest(`continue: "${formatExcerpt(text)}" is not a token of a history`);
}

/** @throws ServiceError `BadRequest` */
export function getLimit({ limit }: HistoryOptions): number {
  return readNumber(getListParameter('limit'), limit) || LIMIT;
}
