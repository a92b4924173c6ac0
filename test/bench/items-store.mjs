/** Makes a store of so many items, on the disk when it ends. Usage: node test/bench/items-store.mjs DIRECTORY COUNT */
import { execFileSync } from 'node:child_process';
import { ITEMS_PLUGIN, itemsBetween } from './items.mjs';
import { openPluginService } from './plugin-service.mjs';

const BATCH = 20_000;
const [directory, text] = process.argv.slice(2);
const count = Number(text);

const { service, find, close } = await openPluginService(directory, ITEMS_PLUGIN, { relaxed: true });
const resource = find('items');
for (let from = 0; from < count; from += BATCH) {
  const items = itemsBetween(from, Math.min(from + BATCH, count), count);
  await service.batch(items.map((object) => ({ verb: 'create', resource, object })));
}
await close();
execFileSync('sync');
