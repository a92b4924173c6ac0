import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { BasePlugin } from '../../src/plugin/base-plugin.js';
import type { PluginSource } from '../../src/plugin/discover.js';
import { temporaryDirectory } from './store.js';

@GVK({ group: 'gated.example.com', version: 'v1', kind: 'Item', plural: 'items', singular: 'item' })
class Item extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
}

export const GATED_ITEMS = '/apis/gated.example.com/v1/items';

/** A plugin whose `start()` waits until it is let go on; its model is there after that. */
export interface GatedPlugin {
  readonly source: PluginSource;
  goOn(): void;
}

export function gatedPlugin(): GatedPlugin {
  let goOn = (): void => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  class Gated extends BasePlugin {
    override async start(): Promise<void> {
      await gate;
      this.ctx.schemeManager.register(Item);
    }
  }
  const source: PluginSource = {
    name: 'gated',
    directory: temporaryDirectory(),
    manifest: {
      apiVersion: 'plugin.platform.run/v1alpha1',
      kind: 'Plugin',
      metadata: { name: 'gated' },
      spec: { version: '1.0.0', enabled: true, pluginDependencies: {} },
    },
    exports: { default: Gated },
  };
  return { source, goOn: () => goOn() };
}
