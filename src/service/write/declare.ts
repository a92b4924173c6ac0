import { formatExcerpt, notFound, ServiceError } from '../../errors.js';
import type { Resumable } from '../../lib/work/yield.js';
import { fullName } from '../../model/full-name.js';
import type { ObjectDraft } from '../../model/object.js';
import type { ServiceContext } from '../context.js';
import { prepareCreate } from './create.js';
import type { PreparedChange } from './change.js';
import type { CurrentObject } from './current-object.js';
import { prepareUpdate } from './update.js';
import type { ResourceRef } from '../verbs.js';
import type { ModelView } from '../read/view.js';

/** An object that is created or overwritten at each start of its plugin. */
export interface Declaration {
  readonly object: ObjectDraft & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { name: string; namespace?: string };
  };
  /** The source of the declaration, for messages: `file:line`. */
  readonly place: string;
}

/** A declaration as a write. */
export interface DeclareRequest {
  readonly verb: 'declare';
  readonly resource: ResourceRef;
  readonly name: string;
  readonly object: Declaration['object'];
}

/** @throws ServiceError `NotFound`, with the place in the message */
export function declareRequest(context: ServiceContext, { object, place }: Declaration): DeclareRequest {
  const { apiVersion, kind, metadata } = object;
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const resource = context.models.findByKind({ group, version: apiVersion.slice(slash + 1), kind });
  if (resource === undefined)
    throw atPlace(
      notFound(`no model ${formatExcerpt(kind)} of ${formatExcerpt(apiVersion)} is served`),
      place,
    );
  return { verb: 'declare', resource, name: fullName(resource, metadata), object };
}

/** The same error, with the place of the declaration in its message. */
export function atPlace(error: ServiceError, place: string): ServiceError {
  return new ServiceError(error.code, `${place}: ${error.message}`, error.details, { cause: error });
}

/**
 * Prepares the state of a declared object in its file: a create, or an update that overwrites it. Fields that are not
 * stated are removed, but status and finalizers stay.
 * @throws ServiceError as a create or an update
 */
export function* prepareDeclared(
  context: ServiceContext,
  model: ModelView,
  object: Declaration['object'],
  current: CurrentObject | undefined,
): Resumable<PreparedChange> {
  if (current === undefined) return yield* prepareCreate(context, model, object, {});
  const { finalizers } = current.metadata;
  const { finalizers: _stated, ...metadata } = object.metadata as ObjectDraft['metadata'] & object;
  const body = { ...object, metadata: finalizers === undefined ? metadata : { ...metadata, finalizers } };
  return yield* prepareUpdate(context, { current, options: {} }, body);
}
