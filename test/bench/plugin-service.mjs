import path from 'node:path';

const SILENT = { debug() {}, info() {}, warn: console.warn, error: console.error };
const dist = (file) => new URL(`../../dist/${file}`, import.meta.url).href;

/** The service on a data directory, in this process, with the models of one directory of plugins. */
export async function openPluginService(dataDir, plugins, { relaxed = false } = {}) {
  const { openWriter } = await import(dist('daemon/offline/plugin-store.js'));
  const config = {
    dataDir: path.resolve(dataDir),
    durability: relaxed ? 'relaxed' : 'safe',
    plugins: [plugins],
    pluginsGiven: true,
    platformPlugins: [],
    pluginConfig: {},
  };
  const service = await openWriter(config, SILENT);
  const resources = await service.resources();
  const find = (plural) => resources.find((resource) => resource.plural === plural);
  return { service, find, close: () => service.close() };
}
