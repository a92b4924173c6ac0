import { hasCode } from '../../errors.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { Queries } from '../../query/condition-builders.js';
import type { CheckedWrite } from '../../owners/writer.js';
import type { Service } from '../../service/service.js';
import { formatTimestamp } from '../../model/timestamp.js';
import type { Definition } from './definition.js';
import { CLEANUP_FINALIZER, CONDITIONS_INDEX, isTrue, statusOf } from './definition-check.js';

/** Concurrent deletions, which share commits. */
const CONCURRENT_MAX = 64;

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

  /** Does the work that is possible now. */
  async run(): Promise<void> {
    const { service, resource } = this.options;
    const revision = await service.store.modelRevision(service.models.table(resource));
    if (revision === this.#done) return;
    this.#done = undefined;
    const isCleaning = await cleanAll(this.options);
    const isWaiting = await acceptFreeNames(this.options);
    if (!isCleaning && !isWaiting) this.#done = revision;
  }
}

const UNACCEPTED = { query: Queries.equal(CONDITIONS_INDEX.name, 'NamesAccepted=False') };

/** Writes definitions again whose names were taken: each write decides about the names. */
async function acceptFreeNames({ service, resource, admit }: DefinitionWorkOptions): Promise<boolean> {
  let isWaiting = false;
  for (const name of await service.listNames(resource, UNACCEPTED)) {
    isWaiting = true;
    await admit((admission) => service.patch(resource, name, {}, 'merge', { admission }));
  }
  return isWaiting;
}

/** @returns true when the objects of a definition remain */
async function cleanAll(options: DefinitionWorkOptions): Promise<boolean> {
  const { service, resource, signal } = options;
  let isWaiting = false;
  for await (const definition of service.listAll(resource, { fieldSelector: 'metadata.deletionTimestamp' })) {
    if (signal.aborted) return isWaiting;
    if (definition.metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) continue;
    await noteTermination(options, definition);
    if (await deleteObjects(options, definition)) await forgetKind(options, definition);
    else isWaiting = true;
  }
  return isWaiting;
}

/** Says in the conditions that the deletion is in progress. */
async function noteTermination(
  { service, resource, admit }: DefinitionWorkOptions,
  definition: ExtensionObject,
): Promise<void> {
  const status = statusOf(definition);
  if (isTrue(status, 'Terminating')) return;
  const condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'the objects of the kind are being deleted',
    lastTransitionTime: formatTimestamp(resource, service.now()),
  };
  const conditions = [...(status.conditions ?? []).filter(({ type }) => type !== 'Terminating'), condition];
  const { name } = definition.metadata;
  await admit((admission) =>
    service.patch(resource, name, { status: { conditions } }, 'merge', { admission }, 'status'),
  );
}

/** @returns true when none is left */
async function deleteObjects(
  { service, admit, signal }: DefinitionWorkOptions,
  definition: ExtensionObject,
): Promise<boolean> {
  const kind = findKind(service, definition);
  if (kind === undefined) return true;
  let names: string[] = [];
  const deleteThem = async (): Promise<void> => {
    await Promise.all(names.map((name) => deleteOne(name)));
    names = [];
  };
  const deleteOne = (name: string): Promise<unknown> =>
    admit((admission) => service.delete(kind, name, { admission })).catch((error: unknown) => {
      if (!hasCode(error, 'NotFound')) throw error;
    });
  for await (const name of service.eachName(kind, { fieldSelector: '!metadata.deletionTimestamp' })) {
    if (signal.aborted) return false;
    names.push(name);
    if (names.length === CONCURRENT_MAX) await deleteThem();
  }
  await deleteThem();
  return (await service.count(kind)) === 0;
}

/** The kind as it is served; undefined when it never was. */
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
  const kind = findKind(service, definition);
  const table = kind && service.store.findTable(kind);
  if (table !== undefined) await service.models.lifecycle.forget(table);
  const { name, finalizers = [] } = definition.metadata;
  const rest = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  await admit((admission) =>
    service.patch(resource, name, { metadata: { finalizers: rest } }, 'merge', { admission }),
  );
}
