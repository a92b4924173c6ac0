import type { Config } from '../../config.js';
import { getMessage } from '../../errors.js';
import type { Kubernetes } from '../../kubernetes/open.js';
import type { Logger } from '../../lib/log/logger.js';
import { userName } from '../../lib/process/process-identity.js';
import type { PluginManager } from '../../plugin/manager.js';
import type { Service } from '../../service/service.js';
import { OWN_MANAGER } from '../../service/write/apply/field-managers.js';
import { check, type Disagreement } from '../../store/check.js';
import { createPlugins, discover, openCore, openKinds } from '../core.js';

/** The store with the models of all plugins, without a server: for writes, and to manage plugins. */
export interface PluginStore {
  readonly service: Service;
  readonly manager: PluginManager;
  readonly kubernetes: Kubernetes | undefined;
}

/**
 * Opens the store and registers the models of all plugins. A plugin that fails is reported to the logger; its models are missing.
 * @param alsoEnabled a plugin that is registered even when it is switched off
 */
export async function openPluginStore(
  config: Config,
  logger: Logger,
  alsoEnabled?: string,
): Promise<PluginStore> {
  const discovery = await discover(config);
  const core = await openCore(config, logger, { user: userName() });
  const { service } = core;
  try {
    const selection = alsoEnabled === undefined ? {} : { alsoEnabled: [alsoEnabled] };
    const kubernetes = await openKinds(core, config, logger, false);
    const { manager } = await createPlugins(core, config, logger, { registerOnly: true, ...selection });
    await manager.startAll(discovery);
    service.beforeClose(() => manager.stopAll());
    // Data of removed plugins can still be read and deleted.
    service.models.openStored();
    return { service, manager, kubernetes };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Verbs on the store with the models of all plugins, see {@link openPluginStore}. */
export async function openWriter(config: Config, logger: Logger): Promise<Service> {
  const { service, kubernetes } = await openPluginStore(config, logger);
  service.writeAs(OWN_MANAGER);
  // No other process may exist that could do it.
  service.beforeClose(async () => {
    await kubernetes?.finish().catch((error: unknown) => logger.warn(getMessage(error)));
    for (const text of await service.finishCascades()) logger.warn(text);
  });
  return service;
}

/** Compares objects, indexes and log; with the plugins' code, so that index functions are compared too. */
export async function openCheck(
  config: Config,
  logger: Logger,
): Promise<{ readonly disagreements: AsyncIterable<Disagreement>; close(): Promise<void> }> {
  const { service } = await openPluginStore(config, logger);
  return { disagreements: check(service.store), close: () => service.close() };
}
