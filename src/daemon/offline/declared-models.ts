import type { Config } from '../../config.js';
import { registerDefinedKinds, registerKinds } from '../../kubernetes/open.js';
import type { Logger } from '../../lib/log/logger.js';
import type { Scheme } from '../../model/declare/scheme.js';
import type { Discovery } from '../../plugin/discover.js';
import type { ModelLifecycle } from '../../lifecycle/model-lifecycle.js';
import type { Verbs } from '../../service/verbs.js';
import type { Store } from '../../store/store.js';
import { createPlugins, discover, openCore, type Core } from '../core.js';

export interface DeclaredOptions {
  /** True when nothing will be written. */
  readonly readOnly: boolean;
  /** Plugins that are enabled in spite of the stored choice. */
  readonly alsoEnabled?: readonly string[] | 'all';
  /** False when the caller prints the failures. Default true. */
  readonly logsFailures?: boolean;
}

/** A plugin with unknown models. */
export interface FailedPlugin {
  readonly plugin: string;
  readonly message: string;
}

/** The current store, next to the models that the plugins and the stored definitions declare. */
export interface DeclaredModels {
  readonly store: Store;
  readonly lifecycle: ModelLifecycle;
  /** Read the stored objects. */
  readonly verbs: Pick<Verbs, 'listAll'>;
  /** The storage version of each model, those of the platform first. */
  readonly schemes: readonly Scheme[];
  /** Names of the plugins in the directories. */
  readonly plugins: readonly string[];
  readonly failures: readonly FailedPlugin[];
  close(): Promise<void>;
}

/**
 * Opens the store and loads the plugins without changing the store: no model is brought up to date.
 * @throws ServiceError when the store cannot be opened, or a plugin directory is missing
 */
export async function openDeclaredModels(
  config: Config,
  logger: Logger,
  { readOnly, ...start }: DeclaredOptions,
): Promise<DeclaredModels> {
  const discovery = await discover(config);
  const core = await openCore(config, logger, { leavesStore: true, readOnly });
  return register(core, discovery, { config, logger, start });
}

interface RegisterGiven {
  readonly config: Config;
  readonly logger: Logger;
  readonly start: Omit<DeclaredOptions, 'readOnly'>;
}

async function register(
  core: Core,
  discovery: Discovery,
  { config, logger, start }: RegisterGiven,
): Promise<DeclaredModels> {
  const { service, registry, store } = core;
  try {
    // The objects of plugins state which are switched off.
    service.models.openStored();
    if (config.kubernetes !== 'off') {
      registerKinds(registry, config.kubernetes);
      await registerDefinedKinds(registry, service, config.serviceUrls);
    }
    const given = { registerOnly: true, leavesStore: true, ...start };
    const { manager } = await createPlugins(core, config, logger, given);
    await manager.startAll(discovery);
    service.beforeClose(() => manager.stopAll());
    const failed = manager.plugins.filter(
      ({ status: { phase } }) => phase === 'FAILED' || phase === 'PENDING',
    );
    return {
      store,
      lifecycle: service.models.lifecycle,
      verbs: service,
      schemes: registry.schemes().filter(({ conversion }) => conversion === undefined),
      plugins: manager.plugins.map(({ name }) => name),
      failures: failed.map(({ name, status }) => ({ plugin: name, message: status.message ?? 'failed' })),
      close: () => service.close(),
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}
