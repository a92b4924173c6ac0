import type { FieldSet } from '../../lib/json/field-set.js';
import { isRecord } from '../../lib/json/json.js';
import type { Resumable } from '../../lib/work/yield.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { fieldPath } from '../../model/validate/field-path.js';
import { parseObject } from '../../store/object-record.js';
import { objectNotFound } from '../object-errors.js';
import type { ModelView } from '../read/view.js';
import { fieldSetOf, type ObjectScope } from '../scope/object-scope.js';
import { ScopedModel, type ScopeFields } from '../scope/scoped-model.js';
import type { WriteScope } from '../scope/write-scope.js';
import type { Subresource, WrittenPart } from '../verbs.js';
import { PENDING, type PreparedChange } from './change.js';
import type { CurrentObject } from './current-object.js';
import { readPatched, type Patch } from './patch/patch.js';
import type { WriteRequest } from './request.js';

type ScopedRequest = Extract<WriteRequest, { verb: 'create' | 'update' | 'patch' | 'delete' }>;

/** Not an apply: that is judged by what it makes of the object. */
type ScopedPatch = Exclude<Extract<ScopedRequest, { verb: 'patch' }>, { type: 'apply' }>;

/** A write and the object that it applies to. */
export interface WriteWithin {
  readonly request: ScopedRequest;
  readonly model: ModelView;
  readonly current: CurrentObject | undefined;
  readonly scope: WriteScope;
  /** Computes the change of a request without limits. */
  readonly prepare: (request: ScopedRequest) => Resumable<PreparedChange>;
  /** A patch with its limits. */
  readonly patchOf: (request: ScopedPatch, current: CurrentObject) => Patch;
}

/** The fields of an object that a sender may write. */
interface Writable {
  readonly before: ScopeFields;
  readonly scoped: ScopedModel | undefined;
}

/**
 * Computes the change of a write whose sender may write only some objects or fields. The object is judged as it is, and as it would
 * become. Fields that the sender does not see stay.
 * @throws ServiceError `NotFound` for an object that the sender does not see, `Forbidden` for a change that it may not make
 */
export function* prepareWithin(write: WriteWithin): Resumable<PreparedChange> {
  const { request, model, current, scope } = write;
  const scoped = scopedBy(model, scope.writable);
  const before = current === undefined ? 'all' : writableIn(current, write, scoped);
  const seen = current === undefined ? 'all' : (seenIn(current, write) ?? fieldSetOf(scope.seenOutside));
  const writable = { before, scoped };
  if (request.verb === 'delete') return yield* write.prepare(request);
  const { subresource } = request;
  if (subresource === 'scale' && (before !== 'all' || seen !== 'all'))
    throw scope.refuse('a scale needs the right to all fields');
  if (request.verb === 'patch' && request.type === 'apply') {
    if (before !== 'all' || seen !== 'all')
      throw scope.refuse('server-side apply needs the right to all fields');
    const change = yield* write.prepare(request);
    judgeAfter(write, change, writable, undefined);
    return change;
  }
  if (request.verb === 'create' || current === undefined || subresource === 'scale') {
    const change = yield* write.prepare(request);
    const stated = request.verb === 'create' ? { before: {}, after: request.object } : undefined;
    judgeAfter(write, change, writable, stated);
    return change;
  }
  const body = yield* statedBy(write, request, current, seen);
  const change = yield* write.prepare({ ...plain(request), verb: 'update', object: body });
  judgeAfter(write, change, writable, {
    before: comparedPart(model.resource, current.shown, subresource),
    after: comparedPart(model.resource, body, subresource),
  });
  return change;
}

/** The fields that the sender sees in an object; undefined when it does not see the object. */
export function seenFields(
  model: ModelView,
  object: ExtensionObject,
  scope: WriteScope,
): ScopeFields | undefined {
  return scope.seen === undefined ? 'all' : new ScopedModel(model, scope.seen).fieldsOf(object);
}

function scopedBy(model: ModelView, scope: ObjectScope | undefined): ScopedModel | undefined {
  return scope && new ScopedModel(model, scope);
}

function seenIn({ raw }: CurrentObject, { model, scope }: WriteWithin): ScopeFields | undefined {
  return seenFields(model, raw, scope);
}

/** @throws ServiceError for an object that the sender may not write */
function writableIn(
  current: CurrentObject,
  write: WriteWithin,
  scoped: ScopedModel | undefined,
): ScopeFields {
  const fields = scoped === undefined ? 'all' : scoped.fieldsOf(current.raw);
  if (fields !== undefined) return fields;
  const { model, request, scope } = write;
  if (seenIn(current, write) !== undefined) throw scope.refuse('the rule is for other objects');
  throw objectNotFound(model.resource, 'name' in request ? request.name : '');
}

/** The object that a request states, with the fields that its sender does not see. */
function* statedBy(
  { scope, patchOf }: WriteWithin,
  request: Extract<ScopedRequest, { verb: 'update' }> | ScopedPatch,
  current: CurrentObject,
  seen: ScopeFields,
): Resumable<unknown> {
  const stated =
    request.verb === 'patch' ? yield* readPatched(current, patchOf(request, current), seen) : request.object;
  if (seen === 'all' || !isRecord(stated)) return stated;
  const whole = seen.complete(stated, current.shown);
  if ('value' in whole) return whole.value;
  throw scope.refuse(`the items of ${fieldPath(whole.unclear)} have fields that you may not read`);
}

/** The request without its content. */
function plain({ resource, name, subresource }: Extract<ScopedRequest, { verb: 'update' }> | ScopedPatch): {
  readonly resource: ScopedRequest['resource'];
  readonly name: string;
  readonly subresource?: WrittenPart;
} {
  return { resource, name, ...(subresource !== undefined && { subresource }) };
}

interface Stated {
  readonly before: unknown;
  readonly after: unknown;
}

/** @throws ServiceError `Forbidden` */
function judgeAfter(
  { scope }: WriteWithin,
  change: PreparedChange,
  { before, scoped }: Writable,
  stated: Stated | undefined,
): void {
  if (scoped === undefined || (change.kind !== 'insert' && change.kind !== 'replace')) return;
  const after = scoped.fieldsOf(parseObject(Buffer.from(change.object.json(PENDING))));
  if (after === undefined) throw scope.refuse('the rule is for other objects than this would be');
  if (stated === undefined) return;
  for (const fields of [before, after]) refuseOutside(fields, stated, scope);
}

function refuseOutside(fields: FieldSet | 'all', { before, after }: Stated, scope: WriteScope): void {
  const path = fields === 'all' ? undefined : fields.findOutside(before, after);
  if (path !== undefined) throw scope.refuse(`the rule does not include the field ${fieldPath(path)}`);
}

/** The part of an object that a write changes: others are ignored in its body. */
function comparedPart({ statusBy }: Resource, object: unknown, subresource: Subresource | 'scale'): unknown {
  if (!isRecord(object)) return object;
  const { status, ...others } = object;
  if (subresource === 'status') return { status };
  return statusBy === 'subresource' || status === undefined ? others : object;
}
