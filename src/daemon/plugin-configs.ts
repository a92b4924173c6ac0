import type { Config } from '../config.js';
import type { FindPluginConfig } from '../http/platform/platform.js';
import { showConfig } from '../plugin/config/shown-config.js';
import type { PluginManager } from '../plugin/manager.js';

/** The configurations of plugins as the operator wrote them, for people. */
export class PluginConfigs {
  /** Undefined until plugins are started. */
  manager: Pick<PluginManager, 'find'> | undefined;

  constructor(private readonly config: Pick<Config, 'pluginConfig'>) {}

  readonly find: FindPluginConfig = (plugin) => {
    const state = this.manager?.find(plugin);
    if (state === undefined) return undefined;
    const { pluginConfig } = this.config;
    const value = Object.hasOwn(pluginConfig, plugin) ? pluginConfig[plugin] : undefined;
    return state.configSchema === undefined ? 'none' : showConfig(state.configSchema, value);
  };
}
