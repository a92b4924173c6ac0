import type { Config } from '../config.js';
import type { Logger } from '../lib/log/logger.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { Discovery } from '../plugin/discover.js';
import type { Store } from '../store/store.js';
import { createPlugins, discover, openCore, type Core } from './core.js';

export interface DeclaredOptions {
  /** Whether nothing will be written. */
  readonly readOnly: boolean;
  /** Plugins that count as switched on whatever was chosen. */
  readonly alsoEnabled?: readonly string[] | 'all';
}

/** A plugin whose models are not known. */
export interface FailedPlugin {
  readonly plugin: string;
  readonly message: string;
}

/** A store as it is, beside the models that the plugins declare. */
export interface DeclaredModels {
  readonly store: Store;
  /** The storage version of each model, those of the platform first. */
  readonly schemes: readonly Scheme[];
  /** Names of the plugins that were found. */
  readonly plugins: readonly string[];
  readonly failures: readonly FailedPlugin[];
  close(): Promise<void>;
}

/**
 * Opens the store and loads the plugins, and leaves the store as it is: no model is brought up to date.
 * @throws ServiceError when the store cannot be opened, or a plugin directory is missing
 */
export async function openDeclaredModels(
  config: Config,
  logger: Logger,
  { readOnly, ...enabled }: DeclaredOptions,
): Promise<DeclaredModels> {
  const discovery = await discover(config);
  const core = await openCore(config, logger, { leavesStore: true, readOnly });
  return register(core, discovery, { config, logger, enabled });
}

interface RegisterGiven {
  readonly config: Config;
  readonly logger: Logger;
  readonly enabled: Pick<DeclaredOptions, 'alsoEnabled'>;
}

async function register(
  core: Core,
  discovery: Discovery,
  { config, logger, enabled }: RegisterGiven,
): Promise<DeclaredModels> {
  const { service, registry, store } = core;
  try {
    // Which plugins are switched off stands in their objects.
    service.models.openStored();
    const given = { registerOnly: true, leavesStore: true, ...enabled };
    const { manager } = await createPlugins(core, config, logger, given);
    await manager.startAll(discovery);
    service.beforeClose(() => manager.stopAll());
    const failed = manager.plugins.filter(
      ({ status: { phase } }) => phase === 'FAILED' || phase === 'PENDING',
    );
    return {
      store,
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
