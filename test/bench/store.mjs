import { PLUGINS } from './daemon.mjs';
import { openPluginService } from './plugin-service.mjs';

/** The service on a data directory, in this process, with the example plugins' models. */
export function openService(dataDir, options) {
  return openPluginService(dataDir, PLUGINS, options);
}

/** Stores packages, in commits of 20,000. */
export async function fillStore(dataDir, packages) {
  const { service, find, close } = await openService(dataDir, { relaxed: true });
  const resource = find('packages');
  for (let at = 0; at < packages.length; at += 20_000) {
    const part = packages.slice(at, at + 20_000);
    await service.batch(part.map((object) => ({ verb: 'create', resource, object })));
  }
  await close();
}
