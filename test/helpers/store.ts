import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AuditLog } from '../../src/audit/audit-log.js';
import { isOwnerAlive, ownerName } from '../../src/lib/process/process-identity.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import { CacheBudget } from '../../src/lib/cache-budget.js';
import type { ModelOptions } from '../../src/model/evolve/versions.js';
import { Models } from '../../src/service/models.js';
import { KeptManagers } from '../../src/kubernetes/apply/kept-managers.js';
import { Service } from '../../src/service/service.js';
import type { ListCacheOptions } from '../../src/list/cache.js';
import type { AttachOptions } from '../../src/lifecycle/attach.js';
import type { Engine } from '../../src/store/engine.js';
import { check } from '../../src/store/check.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import type { Store } from '../../src/store/store.js';
import { openTestEngine } from '../engines/engines.js';

/** A new directory; {@link removeDirectories} takes it away. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-test-'));
  made.push(directory);
  return directory;
}

const made: string[] = [];

export function removeDirectories(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}

export async function openTestModels(
  directory: string,
  now = () => Date.now(),
  holder?: string,
): Promise<ModelLifecycle> {
  return openModelsOn(await openTestEngine(directory), now, holder);
}

export async function openTestStore(...given: Parameters<typeof openTestModels>): Promise<Store> {
  return (await openTestModels(...given)).store;
}

function openModelsOn(engine: Engine, now: () => number, holder?: string): Promise<ModelLifecycle> {
  const owner = holder ?? ownerName();
  return ModelLifecycle.open(engine, {
    now,
    owner,
    isAlive: isOwnerAlive,
    holdsModels: holder !== undefined,
  });
}

/** Versions and migrations of a model, and how it is attached. */
interface RegisterGiven extends ModelOptions {
  readonly attach?: AttachOptions;
}

export interface TestService {
  readonly service: Service;
  readonly store: Store;
  readonly registry: SchemeRegistry;
  readonly directory: string;
  register(model: ModelClass, declareIndexes?: DeclareIndexes, given?: RegisterGiven): Promise<void>;
  /** Every disagreement that the consistency check finds. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}

/** A service on a real LMDB directory, or on the engine that TEST_ENGINE names. */
export async function openTestService(
  directory = temporaryDirectory(),
  listCaches: ListCacheOptions = {},
  {
    now = () => Date.now(),
    cacheBytes,
    cascadeMax,
    engine,
    audit,
  }: {
    readonly now?: (() => number) | undefined;
    /** Default: the one that the environment names, in the directory. */
    readonly engine?: Engine;
    readonly cacheBytes?: number;
    readonly cascadeMax?: number;
    /** Default: writes are not recorded. */
    readonly audit?: AuditLog;
  } = {},
): Promise<TestService> {
  const lifecycle = await openModelsOn(engine ?? (await openTestEngine(directory)), now);
  const { store } = lifecycle;
  const models = new Models(lifecycle);
  const registry = new SchemeRegistry();
  const cacheBudget = new CacheBudget(cacheBytes);
  const service = new Service({
    store,
    models,
    listCaches,
    fieldManagers: new KeptManagers(cacheBudget),
    now: () => new Date(now()),
    cacheBudget,
    audit: audit?.writes,
    ...(cascadeMax !== undefined && { cascadeMax }),
  });
  return {
    service,
    store,
    registry,
    directory,
    async register(model, declareIndexes, { attach, ...options } = {}) {
      await models.open(registry.register(model, 'test', declareIndexes, { model: options }), attach);
    },
    check: () => disagreements(store),
    close: () => service.close(),
  };
}

export async function disagreements(store: Store): Promise<string[]> {
  const found: string[] = [];
  for await (const { kind, name, message } of check(store)) {
    found.push([kind, name, message].filter((part) => part !== undefined).join(' '));
  }
  return found;
}
