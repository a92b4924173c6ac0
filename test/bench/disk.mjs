/**
 * Measures the cost of writes on the disk: bytes written for a durable create, 64 at a time, and the size of the file
 * while all objects are updated again and again and the log keeps little. Objects of about 600 bytes, six indexes, four
 * labels. Needs `npm run build`. Usage: node test/bench/disk.mjs [objects=200000] [rounds=10]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ITEMS_PLUGIN, itemAt, itemsBetween } from './items.mjs';
import { openPluginService } from './plugin-service.mjs';
import { inMiB } from './timing.mjs';

const objects = Number(process.argv[2] ?? 200_000);
const rounds = Number(process.argv[3] ?? 10);
const BATCH = 2_000;
const CREATES = 20_000;
const CONCURRENT = 64;
const RETENTION = { count: 1_000, ageMs: 0, bytesMax: 16 * 1024 * 1024 };

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const dataDir = path.join(directory, 'data');
const { service, find, close } = await openPluginService(dataDir, ITEMS_PLUGIN);
const resource = find('items');
try {
  await fill();
  await creates();
  await updates();
} finally {
  await close();
  rmSync(directory, { recursive: true });
}

async function fill() {
  for (let from = 0; from < objects; from += BATCH) {
    const items = itemsBetween(from, Math.min(from + BATCH, objects), objects);
    await service.batch(items.map((object) => ({ verb: 'create', resource, object })));
  }
}

async function creates() {
  const before = { written: writtenBytes(), device: deviceBytes() };
  let next = 0;
  const client = async () => {
    while (next < CREATES) await service.create(resource, itemAt(objects + next++, objects));
  };
  await Promise.all(Array.from({ length: CONCURRENT }, client));
  const each = (bytes) => `${(bytes / CREATES / 1000).toFixed(1)} KB`;
  console.log(
    `${CREATES} durable creates, ${CONCURRENT} at a time, among ${objects} objects: ` +
      `${each(writtenBytes() - before.written)} written each, ${each(deviceBytes() - before.device)} to the disk by the machine`,
  );
}

async function updates() {
  const levels = [];
  for (let round = 1; round <= rounds; round++) {
    for (let from = 0; from < objects; from += BATCH) {
      const items = itemsBetween(from, Math.min(from + BATCH, objects), objects);
      const changed = items.map((object, i) => ({
        verb: 'update',
        resource,
        name: object.metadata.name,
        object: { ...object, spec: { ...object.spec, size: (from + i + round * 7919) % 1_000_000 } },
      }));
      await service.batch(changed);
      await service.store.history.trim(RETENTION);
    }
    levels.push(statSync(path.join(dataDir, 'data.mdb')).size);
  }
  console.log(
    `the file after each of ${rounds} rounds of updating ${objects} objects: ${levels.map(inMiB).join(', ')}`,
  );
}

/** Bytes that this process passed to write calls. `write_bytes` counts whole pages of the cache, which can be large. */
function writtenBytes() {
  return Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))[1]);
}

/** Bytes written to all disks of the machine. */
function deviceBytes() {
  const sectors = readdirSync('/sys/block').map((disk) => {
    const fields = readFileSync(`/sys/block/${disk}/stat`, 'utf8').trim().split(/\s+/);
    return Number(fields[6]);
  });
  return sectors.reduce((sum, count) => sum + count, 0) * 512;
}
