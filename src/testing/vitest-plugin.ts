import { fileURLToPath } from 'node:url';
import { compileModule, type CompiledModule } from '../plugin/bundle.js';

/** A plugin of Vite, as far as vitest uses it. */
export interface VitestPlugin {
  readonly name: string;
  readonly enforce: 'pre';
  config(): { test: { server: { deps: { external: RegExp[] } } } };
  transform(text: string, id: string): Promise<CompiledModule | undefined>;
}

/**
 * Makes vitest compile TypeScript as the service compiles plugins, with decorators: Vite itself leaves them in the text from
 * version 8 on, and no version of Node.js can run them.
 *
 * @example
 * // vitest.config.js
 * import { vitestPlugin } from 'xsvc/testing';
 * export default { plugins: [vitestPlugin()] };
 */
export function vitestPlugin(): VitestPlugin {
  return {
    name: 'xsvc',
    enforce: 'pre',
    // Vitest would load a linked xsvc a second time, with other classes.
    config: () => ({ test: { server: { deps: { external: [ownModules()] } } } }),
    transform: async (text, id) => {
      const [file = ''] = id.split('?');
      return /\.[cm]?tsx?$/.test(file) ? compileModule(text, file) : undefined;
    },
  };
}

function ownModules(): RegExp {
  const directory = fileURLToPath(new URL('..', import.meta.url)).replaceAll('\\', '/');
  return new RegExp(`^${directory.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}
