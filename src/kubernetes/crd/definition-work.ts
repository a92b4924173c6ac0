import { unavailable, type ServiceError } from '../../errors.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { Queries } from '../../query/condition-builders.js';
import type { CheckedWrite } from '../../owners/writer.js';
import type { Service } from '../../service/service.js';
import type { Store } from '../../store/store.js';
import type { Table } from '../../store/table.js';
import { formatTimestamp } from '../../model/timestamp.js';
import { refusalIn } from '../kinds/delete-matches.js';
import { Attempts } from '../attempts.js';
import { whileStored } from '../while-stored.js';
import type { Definition } from './definition.js';
import { CLEANUP_FINALIZER, CONDITIONS_INDEX, isTrue, statusOf } from './definition-check.js';

/** Concurrent deletions, which share commits. */
const CONCURRENT_MAX = 64;

/** Definitions go on without webhooks, which may be the ones that they bring. */
const OWN = { isUnreviewed: true };

export interface DefinitionWorkOptions {
  readonly service: Service;
  /** The model of the definitions. */
  readonly resource: Resource;
  readonly signal: AbortSignal;
  /** Runs a write while this process leads. */
  readonly admit: CheckedWrite;
}

/**
 * Finishes the deletion of definitions: deletes their objects, removes their models from the store, and then their
 * finalizer. Accepts names that have become free. All of it is found again in the store after an interruption.
 */
export class DefinitionWork {
  /** The revision of the definitions whose work is done; undefined while work remains. */
  #done: number | undefined;

  constructor(private readonly options: DefinitionWorkOptions) {}

  /**
   * Does the work that is possible now.
   * @throws the first failure, after the work on all definitions
   */
  async run(): Promise<void> {
    const { service, resource } = this.options;
    const revision = await service.store.modelRevision(service.models.table(resource));
    if (revision === this.#done) return;
    this.#done = undefined;
    const attempts = new Attempts();
    const isCleaning = await cleanAll(this.options, attempts);
    const isWaiting = await acceptFreeNames(this.options, attempts);
    attempts.end();
    if (!isCleaning && !isWaiting) this.#done = revision;
  }
}

const UNACCEPTED = { query: Queries.equal(CONDITIONS_INDEX.name, 'NamesAccepted=False') };

/** Writes definitions again whose names were taken: each write decides about the names. */
async function acceptFreeNames(
  { service, resource, admit }: DefinitionWorkOptions,
  attempts: Attempts,
): Promise<boolean> {
  const names = await service.listNames(resource, UNACCEPTED);
  for (const name of names)
    await attempts.run(() =>
      admit((admission) => service.patch(resource, name, {}, 'merge', { admission, ...OWN })),
    );
  return names.length > 0;
}

/** @returns true when work on a deleted definition remains */
async function cleanAll(options: DefinitionWorkOptions, attempts: Attempts): Promise<boolean> {
  const { service, resource, signal } = options;
  let isWaiting = false;
  for await (const definition of service.listAll(resource, { fieldSelector: 'metadata.deletionTimestamp' })) {
    if (signal.aborted) return isWaiting;
    if (definition.metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) continue;
    const admit = whileStored(options.admit, service, resource, definition);
    const isLeft = await attempts.run(() => clean({ ...options, admit }, definition));
    isWaiting ||= isLeft !== false;
  }
  return isWaiting;
}

/** @returns true when objects of the definition remain */
async function clean(options: DefinitionWorkOptions, definition: ExtensionObject): Promise<boolean> {
  if (!isTrue(statusOf(definition), 'Terminating')) await noteTermination(options, definition);
  const { isLeft, refusal } = await deleteObjects(options, definition);
  if (!isLeft) await forgetKind(options, definition);
  else if (refusal !== undefined) await noteTermination(options, definition, refusal);
  return isLeft;
}

/** Says in the conditions that the deletion is in progress, and what refuses it. */
async function noteTermination(
  { service, resource, admit }: DefinitionWorkOptions,
  definition: ExtensionObject,
  refusal?: ServiceError,
): Promise<void> {
  const { conditions: before = [] } = statusOf(definition);
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: refusal === undefined ? 'InstanceDeletionInProgress' : 'InstanceDeletionFailed',
    message: refusal?.message ?? 'the objects of the kind are being deleted',
    lastTransitionTime: formatTimestamp(resource, service.now()),
  };
  if (before.some(({ message }) => message === condition.message)) return;
  const conditions = [...before.filter(({ type }) => type !== 'Terminating'), condition];
  const { name } = definition.metadata;
  await admit((admission) =>
    service.patch(resource, name, { status: { conditions } }, 'merge', { admission, ...OWN }, 'status'),
  );
}

/** The outcome of a deletion of the objects of a definition. */
interface DeletedObjects {
  readonly isLeft: boolean;
  /** The first refusal. */
  readonly refusal?: ServiceError | undefined;
}

async function deleteObjects(
  { service, admit, signal }: DefinitionWorkOptions,
  definition: ExtensionObject,
): Promise<DeletedObjects> {
  const kind = findKind(service, definition);
  if (kind === undefined) return countUnserved(service, definition);
  let refusal: ServiceError | undefined;
  let names: string[] = [];
  const deleteThem = async (): Promise<void> => {
    await Promise.all(names.map((name) => deleteOne(name)));
    names = [];
  };
  const deleteOne = (name: string): Promise<unknown> =>
    admit((admission) => service.delete(kind, name, { admission })).catch((error: unknown) => {
      refusal ??= refusalIn(error);
    });
  for await (const name of service.eachName(kind, { fieldSelector: '!metadata.deletionTimestamp' })) {
    if (signal.aborted) return { isLeft: true };
    names.push(name);
    if (names.length === CONCURRENT_MAX) await deleteThem();
  }
  await deleteThem();
  return { isLeft: (await service.count(kind)) > 0, refusal };
}

/** The outcome for a kind that this process does not serve, so that it cannot delete objects of it. */
async function countUnserved({ store }: Service, definition: ExtensionObject): Promise<DeletedObjects> {
  await store.reload();
  const table = findTable(store, definition);
  const objects = table === undefined ? 0 : await store.getCount(table.resource);
  if (objects === 0) return { isLeft: false };
  const refusal = unavailable(
    `${objects} objects cannot be deleted, because no version of the kind is served`,
  );
  return { isLeft: true, refusal };
}

/** The table of the kind; undefined when no process has ever served it. */
function findTable(store: Store, definition: ExtensionObject): Table | undefined {
  const { spec: { group = '' } = {} } = definition as Definition;
  const { kind = '' } = statusOf(definition).acceptedNames ?? {};
  const table = store.findTable({ group, kind });
  return table?.resource.origin === 'definition' ? table : undefined;
}

/** The kind as it is served; undefined when it is not. */
function findKind({ models }: Service, definition: ExtensionObject): Resource | undefined {
  const { spec: { group = '', versions = [] } = {} } = definition as Definition;
  const { kind = '' } = statusOf(definition).acceptedNames ?? {};
  for (const { name: version = '' } of versions) {
    const found = models.findByKind({ group, version, kind });
    if (found?.origin === 'definition') return found;
  }
  return undefined;
}

async function forgetKind(
  { service, resource, admit }: DefinitionWorkOptions,
  definition: ExtensionObject,
): Promise<void> {
  const table = findTable(service.store, definition);
  if (table !== undefined) await service.models.lifecycle.forget(table);
  const { name, finalizers = [] } = definition.metadata;
  const rest = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  await admit((admission) =>
    service.patch(resource, name, { metadata: { finalizers: rest } }, 'merge', { admission, ...OWN }),
  );
}
