import { excerpt, notFound, ServiceError } from '../errors.js';
import type { ObjectDraft } from '../model/object.js';
import { parseObject, type StoreTransaction } from '../store/transaction.js';
import type { ServiceContext } from './context.js';
import { insertPrepared, prepareCreate } from './create.js';
import { updateIn } from './update.js';
import type { ResourceRef } from './verbs.js';

/** An object that is created or overwritten at each start of its plugin. */
export interface Declaration {
  readonly object: ObjectDraft & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { name: string };
  };
  /** Where it was read from, for messages: `file:line`. */
  readonly place: string;
}

/**
 * Brings all declared objects to what their files state: created, or overwritten as by an update. What is not
 * stated is removed, but status and finalizers stay.
 * @throws ServiceError of the first one at fault, with its place in the message
 */
export function declareIn(
  tx: StoreTransaction,
  context: ServiceContext,
  declarations: readonly Declaration[],
): void {
  for (const declaration of declarations) {
    try {
      declareOne(tx, context, declaration);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ServiceError(error.code, `${declaration.place}: ${error.message}`, error.details, {
        cause: error,
      });
    }
  }
}

function declareOne(tx: StoreTransaction, context: ServiceContext, { object }: Declaration): void {
  const table = context.models.table(refOf(context, object));
  const { name } = object.metadata;
  const stored = tx.find(table, name);
  if (stored === undefined) {
    insertPrepared(tx, prepareCreate(context, table, object, {}));
    return;
  }
  const { finalizers } = parseObject(stored.bytes).metadata;
  const { finalizers: _stated, ...metadata } = object.metadata as ObjectDraft['metadata'] & object;
  const body = { ...object, metadata: finalizers === undefined ? metadata : { ...metadata, finalizers } };
  updateIn(tx, table, name, body, {}, undefined);
}

function refOf(context: ServiceContext, { apiVersion, kind }: Declaration['object']): ResourceRef {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const resource = context.models.findByKind({ group, version: apiVersion.slice(slash + 1), kind });
  if (resource === undefined) throw notFound(`no model ${excerpt(kind)} of ${excerpt(apiVersion)} is served`);
  return resource;
}
