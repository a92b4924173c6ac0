import { ServiceError } from '../errors.js';
import type { Resource } from '../model/resource.js';
import { modelKey } from '../model/resource.js';
import type { Engine, Transaction } from '../store/engine.js';
import { leaseKey, metaKey, under } from '../store/index/keys.js';
import { withSnapshot } from '../store/with-snapshot.js';
import { presenceName } from './presence.js';

/** The running processes that share a store. */
export interface Processes {
  /** The owner name of this process. */
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  /** True when the store is open for reading only. Default: false. */
  readonly isReadOnly?: boolean;
  /** Asks a process that counts as alive for a sign of life. For processes on other machines. */
  readonly answers?: ((owner: string) => Promise<boolean>) | undefined;
}

const PREFIX = 'holder/';
/** The models that each process serves. */
export const HOLDERS = under(metaKey(PREFIX));
const PROCESSES_MAX = 10_000;

/** Publishes the models that this process serves, as it declares them. */
export async function publishServedModels(
  engine: Engine,
  owner: string,
  models: Iterable<string>,
): Promise<void> {
  const keys = [...models];
  const key = metaKey(`${PREFIX}${owner}`);
  await engine.commit((tx) => {
    if (keys.length === 0) forget(tx, key, owner);
    else tx.put(key, Buffer.from(JSON.stringify(keys)));
  });
}

/**
 * The name of another living process that serves a model; undefined when none does. Removes the records of dead
 * processes, unless the store is open for reading only.
 */
export function findServer(
  engine: Engine,
  model: Pick<Resource, 'group' | 'kind'>,
  processes: Processes,
): Promise<string | undefined> {
  return findHolder(engine, (models) => models.includes(modelKey(model)), processes);
}

/** {@link findServer} for any model. */
export function findAnyServer(engine: Engine, processes: Processes): Promise<string | undefined> {
  return findHolder(engine, () => true, processes);
}

async function findHolder(
  engine: Engine,
  serves: (models: readonly string[]) => boolean,
  { owner, isAlive, isReadOnly = false, answers }: Processes,
): Promise<string | undefined> {
  const pairs = await withSnapshot(engine, (snapshot) => snapshot.scan(HOLDERS, { limit: PROCESSES_MAX }));
  const others = pairs.map(({ key, value }) => ({
    key,
    name: key.subarray(metaKey(PREFIX).length).toString('latin1'),
    models: JSON.parse(value.toString()) as readonly string[],
  }));
  for (const { key, name, models } of others) {
    if (name === owner) continue;
    const isHolder = serves(models);
    const isDead = !isAlive(name) || (isHolder && answers !== undefined && !(await answers(name)));
    if (isDead && !isReadOnly) await engine.commit((tx) => forget(tx, key, name));
    else if (!isDead && isHolder) return name;
  }
  return undefined;
}

/** Formats the owner name of a process for messages. */
export function holderText(name: string): string {
  const [host = '', pid = ''] = name.split('/');
  return `process ${pid} on ${host}`;
}

/**
 * Checks that no other living process serves a model whose declaration is about to change.
 * @throws ServiceError `ServiceUnavailable` that names the process
 */
export async function refuseIfInUse(engine: Engine, resource: Resource, processes: Processes): Promise<void> {
  const holder = await findServer(engine, resource, processes);
  if (holder === undefined) return;
  const { group, kind } = resource;
  throw new ServiceError(
    'ServiceUnavailable',
    `${holderText(holder)} serves ${kind} with another declaration, which stays unchanged; ` +
      'start both with the same plugins, stop that process, or replace its declaration with --takeover',
    { group, kind },
  );
}

function forget(tx: Transaction, key: Buffer, name: string): void {
  tx.remove(key);
  tx.remove(leaseKey(presenceName(name)));
}
