import { formatExcerpt, notFound, ServiceError } from '../../errors.js';
import type { Resumable } from '../../lib/work/yield.js';
import type { ObjectDraft } from '../../model/object.js';
import type { ServiceContext } from '../context.js';
import { decideCreate } from './create.js';
import type { Decision } from './decision.js';
import type { CurrentObject } from './current-object.js';
import { decideUpdate } from './update.js';
import type { ResourceRef } from '../verbs.js';
import type { ModelView } from '../read/view.js';

/** An object that is created or overwritten at each start of its plugin. */
export interface Declaration {
  readonly object: ObjectDraft & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { name: string };
  };
  /** The source of the declaration, for messages: `file:line`. */
  readonly place: string;
}

/** A declaration as a write. */
export interface DeclaredItem {
  readonly verb: 'declare';
  readonly resource: ResourceRef;
  readonly name: string;
  readonly object: Declaration['object'];
}

/** @throws ServiceError `NotFound`, with the place in the message */
export function declaredItem(context: ServiceContext, { object, place }: Declaration): DeclaredItem {
  const { apiVersion, kind, metadata } = object;
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const resource = context.models.findByKind({ group, version: apiVersion.slice(slash + 1), kind });
  if (resource === undefined)
    throw atPlace(
      notFound(`no model ${formatExcerpt(kind)} of ${formatExcerpt(apiVersion)} is served`),
      place,
    );
  return { verb: 'declare', resource, name: metadata.name, object };
}

/** The same error, with the place of the declaration in its message. */
export function atPlace(error: ServiceError, place: string): ServiceError {
  return new ServiceError(error.code, `${place}: ${error.message}`, error.details, { cause: error });
}

/**
 * Brings a declared object to the state in its file: creates it, or overwrites it like an update. Fields that are not
 * stated are removed, but status and finalizers stay.
 * @throws ServiceError as a create or an update
 */
export function* decideDeclared(
  context: ServiceContext,
  model: ModelView,
  object: Declaration['object'],
  found: CurrentObject | undefined,
): Resumable<Decision> {
  if (found === undefined) return yield* decideCreate(context, model, object, {});
  const { finalizers } = found.metadata;
  const { finalizers: _stated, ...metadata } = object.metadata as ObjectDraft['metadata'] & object;
  const body = { ...object, metadata: finalizers === undefined ? metadata : { ...metadata, finalizers } };
  return yield* decideUpdate({ model, name: object.metadata.name }, found, body, {});
}
