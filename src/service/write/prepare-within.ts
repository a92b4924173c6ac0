import type { FieldSet } from '../../lib/json/field-set.js';
import { isRecord } from '../../lib/json/json.js';
import type { Resumable } from '../../lib/work/yield.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import { fieldPath } from '../../model/validate/field-path.js';
import { parseObject } from '../../store/object-record.js';
import { ServiceError } from '../../errors.js';
import { objectNotFound } from '../object-errors.js';
import type { ModelView } from '../read/view.js';
import { comparedParts, type StatedFields } from '../scope/compared-parts.js';
import { fieldSetOf } from '../scope/object-scope.js';
import { picked, ScopedModel, type ScopeFields } from '../scope/scoped-model.js';
import type { WriteScope } from '../scope/write-scope.js';
import type { WrittenPart } from '../verbs.js';
import { PENDING, type PreparedChange } from './change.js';
import type { CurrentObject } from './current-object.js';
import { InvalidObjectError } from './faults/invalid-object-error.js';
import { readPatched, type Patch } from './patch/patch.js';
import { getRequestedName, isApply, type WriteRequest } from './request.js';

type ScopedRequest = Extract<WriteRequest, { verb: 'create' | 'update' | 'patch' | 'delete' }>;

/** An apply, which needs the right to all fields. */
type ScopedApply = Extract<ScopedRequest, { verb: 'patch'; type: 'apply' }>;
type ScopedUpdate = Extract<ScopedRequest, { verb: 'update' }>;
type ScopedPatch = Exclude<Extract<ScopedRequest, { verb: 'patch' }>, ScopedApply>;

/** A write and the object that it applies to. */
export interface WriteWithin {
  readonly request: ScopedRequest;
  readonly model: ModelView;
  readonly current: CurrentObject | undefined;
  readonly scope: WriteScope;
  /** Computes the change of a request without limits, for an object or for none. */
  readonly prepare: (request: ScopedRequest, current: CurrentObject | undefined) => Resumable<PreparedChange>;
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
  const scoped = scope.writable && new ScopedModel(model, scope.writable);
  if (request.verb === 'create' || current === undefined)
    return yield* prepareJudged(write, request, { before: 'all', scoped }, statedAlone(request));
  const visible = seenFields(model, current.raw, scope);
  const before = scoped === undefined ? 'all' : scoped.fieldsOf(current.raw);
  if (before === undefined) return yield* refuseOther(write, visible !== undefined);
  if (request.verb === 'delete') return yield* write.prepare(request, current);
  const seen = scope.statesAll === true ? 'all' : (visible ?? fieldSetOf(scope.seenOutside));
  const writable = { before, scoped };
  if (isOfAllFields(request)) {
    if (before !== 'all' || seen !== 'all') throw needsAllFields(request, scope);
    return yield* prepareJudged(write, request, writable, undefined);
  }
  const stated =
    request.verb === 'patch'
      ? yield* readPatched(current, write.patchOf(request, current), seen)
      : request.object;
  const compared = comparedParts(model.resource, request.subresource, {
    before: picked(current.shown, seen),
    after: stated,
  });
  const object = withUnseen(stated, current, { seen, scope });
  return yield* prepareJudged(write, { ...plain(request), verb: 'update', object }, writable, compared);
}

/** The fields that the sender sees in an object; undefined when it does not see the object. */
export function seenFields(
  model: ModelView,
  object: ExtensionObject,
  scope: WriteScope,
): ScopeFields | undefined {
  return scope.seen === undefined ? 'all' : new ScopedModel(model, scope.seen).fieldsOf(object);
}

/** @throws ServiceError for an object that the sender may not write */
function* refuseOther(
  { request, model, scope, prepare }: WriteWithin,
  isSeen: boolean,
): Resumable<PreparedChange> {
  if (isSeen) throw scope.refuse('the rule is for other objects');
  if (isApply(request)) yield* prepareMissing(request, prepare);
  throw objectNotFound(model.resource, getRequestedName(request));
}

/** An apply to a missing object is a create: who has no right to that gets the same error as for a missing object. */
function* prepareMissing(request: ScopedRequest, prepare: WriteWithin['prepare']): Resumable<void> {
  try {
    yield* prepare(request, undefined);
  } catch (error) {
    // Reviewers must not make an object of it.
    if (!(error instanceof InvalidObjectError)) throw error;
  }
}

/** The content of a new object. */
function statedAlone(request: ScopedRequest): StatedFields | undefined {
  if (request.verb === 'create') return { before: {}, after: request.object };
  return isAppliedWhole(request) ? { before: {}, after: request.patch } : undefined;
}

function isAppliedWhole(request: ScopedRequest): request is ScopedApply {
  return isApply(request);
}

/** True for a write that cannot leave out fields. */
function isOfAllFields(request: ScopedApply | ScopedPatch | ScopedUpdate): request is ScopedApply {
  return request.subresource === 'scale' || isApply(request);
}

function needsAllFields({ subresource }: { subresource?: WrittenPart }, scope: WriteScope): ServiceError {
  const what = subresource === 'scale' ? 'a scale' : 'server-side apply';
  return scope.refuse(`${what} needs the right to all fields`);
}

/** The object that a request states, with the fields that its sender does not see. */
function withUnseen(
  stated: unknown,
  { shown }: CurrentObject,
  { seen, scope }: { readonly seen: ScopeFields; readonly scope: WriteScope },
): unknown {
  if (seen === 'all' || !isRecord(stated)) return stated;
  const whole = seen.complete(stated, shown);
  if ('value' in whole) return whole.value;
  throw scope.refuse(`you may not read all fields of the items of ${fieldPath(whole.unclear)}`);
}

/** The request without its content. */
function plain({ resource, name, subresource }: ScopedUpdate | ScopedPatch): {
  readonly resource: ScopedRequest['resource'];
  readonly name: string;
  readonly subresource?: WrittenPart;
} {
  return { resource, name, ...(subresource !== undefined && { subresource }) };
}

/**
 * Computes the change of a request and judges its result. Fields are judged before anything else, by whether they are stated: the
 * answer must not depend on hidden values.
 * @param stated undefined for a write that needs the right to all fields
 * @throws ServiceError `Forbidden`
 */
function* prepareJudged(
  write: WriteWithin,
  request: ScopedRequest,
  { before, scoped }: Writable,
  stated: StatedFields | undefined,
): Resumable<PreparedChange> {
  const { scope } = write;
  if (stated !== undefined) refuseOutside(before, stated, scope);
  const judge = (object: ExtensionObject): void => {
    const after = scoped === undefined ? 'all' : scoped.fieldsOf(object);
    if (after === undefined) throw scope.refuse('the rule is for other objects than this would be');
    if (stated !== undefined) refuseOutside(after, stated, scope);
    else if (after !== 'all') throw needsAllFields(request, scope);
  };
  try {
    const change = yield* write.prepare(request, write.current);
    if (change.kind === 'insert' || change.kind === 'replace')
      judge(parseObject(Buffer.from(change.object.json(PENDING))));
    return change;
  } catch (error) {
    if (!(error instanceof InvalidObjectError) || scoped === undefined) throw error;
    // Reviewers may make it valid.
    if (!hasName(error.object)) throw new ServiceError(error.code, error.message, error.details);
    judge(error.object);
    throw error;
  }
}

function hasName(object: ObjectDraft): object is ExtensionObject {
  return typeof object.metadata?.name === 'string';
}

function refuseOutside(fields: FieldSet | 'all', { before, after }: StatedFields, scope: WriteScope): void {
  const path = fields === 'all' ? undefined : fields.findOutside(before, after);
  if (path !== undefined) throw scope.refuse(`the rule does not include the field ${fieldPath(path)}`);
}
