import path from 'node:path';
import { PLUGINS } from './daemon.mjs';

const SILENT = { debug() {}, info() {}, warn: console.warn, error: console.error };
const dist = (file) => new URL(`../../dist/${file}`, import.meta.url).href;

/** The service on a data directory, in this process, with the example plugins' models. */
export async function openService(dataDir, { relaxed = false } = {}) {
  const { openWriter } = await import(dist('app.js'));
  const config = {
    dataDir: path.resolve(dataDir),
    durability: relaxed ? 'relaxed' : 'safe',
    plugins: [PLUGINS],
    pluginsGiven: true,
    platformPlugins: [],
    pluginConfig: {},
  };
  const service = await openWriter(config, SILENT);
  const resources = await service.resources();
  return {
    service,
    find: (plural) => resources.find((resource) => resource.plural === plural),
    close: () => service.close(),
  };
}

/** Stores packages, in commits of 20,000. */
export async function fillStore(dataDir, packages) {
  const { service, find, close } = await openService(dataDir, { relaxed: true });
  const resource = find('packages');
  for (let at = 0; at < packages.length; at += 20_000) {
    await service.batch(
      packages.slice(at, at + 20_000).map((object) => ({ verb: 'create', resource, object })),
    );
  }
  await close();
}
