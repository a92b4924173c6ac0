import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from '../../config.js';
import type { ServedRoute } from '../../endpoint/route.js';
import { lmdbExists } from '../../engines/lmdb/files.js';
import { openEventModel } from '../../events/model.js';
import { Converter } from '../../http/answer/converter.js';
import type { Logger } from '../../lib/log/logger.js';
import type { Scheme } from '../../model/declare/scheme.js';
import type { Resource } from '../../model/resource.js';
import { createEndpoints, createPlugins, discover, modelsIn, openCore } from '../core.js';
import { LiveComponents } from '../live-components.js';

/** The parts that can be described without a server. */
export interface OpenDescription {
  /** Those of the enabled plugins. */
  readonly models: readonly Resource[];
  readonly routes: readonly ServedRoute[];
  /** The plugin of a model, or `platform`. */
  readonly findOwner: (model: Resource) => string | undefined;
  /** The models with their code, for checks without a store. */
  readonly schemes: readonly Scheme[];
  close(): Promise<void>;
}

/**
 * Registers the models of all plugins to describe them. Does not create a store.
 * @throws ServiceError when the store cannot be opened, or a plugin directory is missing
 */
export function openDescription(config: Config, logger: Logger): Promise<OpenDescription> {
  return describe(config, logger, { isTemporary: !lmdbExists(config.dataDir), withEndpoints: true });
}

/**
 * Registers the models of all plugins, without their endpoints, and without reading the configured store or creating one.
 * @throws ServiceError when a plugin directory is missing
 */
export function openOffline(config: Config, logger: Logger): Promise<OpenDescription> {
  return describe(config, logger, { isTemporary: true, withEndpoints: false });
}

async function describe(
  config: Config,
  logger: Logger,
  { isTemporary, withEndpoints }: { readonly isTemporary: boolean; readonly withEndpoints: boolean },
): Promise<OpenDescription> {
  const discovery = await discover(config);
  const temporary = isTemporary ? await mkdtemp(path.join(tmpdir(), 'xsvc-')) : undefined;
  const settings = temporary === undefined ? config : { ...config, dataDir: temporary, shared: undefined };
  const core = await openCore(settings, logger);
  const close = async (): Promise<void> => {
    await core.service.close();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  };
  try {
    // The kinds of Kubernetes describe themselves; all other models are described, whether those are served or not.
    if (settings.kubernetes !== 'off') await openEventModel({ open: () => Promise.resolve() }, core.registry);
    const endpoints = createEndpoints(core, settings, new Converter());
    const { platformPlugins } = settings;
    const components = new LiveComponents({
      endpoints,
      controllers: undefined,
      platformPlugins,
      models: modelsIn(core),
    });
    const parts = withEndpoints ? { components } : {};
    const { manager } = await createPlugins(core, settings, logger, { registerOnly: true, ...parts });
    await manager.startAll(discovery);
    core.service.beforeClose(() => manager.stopAll());
    const schemes = core.registry.schemes();
    const owners = new Map(schemes.map(({ resource, owner }) => [resource, owner] as const));
    return {
      models: [...owners.keys()],
      routes: endpoints.list(),
      findOwner: (model) => owners.get(model),
      schemes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
