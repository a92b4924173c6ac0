import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const BENCH = new URL('../../bench/', import.meta.url).pathname;
const ITEMS = '/apis/bench.example.com/v1alpha1/items';
const COUNT = 30_000;
const LISTS = [
  ITEMS,
  `${ITEMS}?sort=spec.time,desc`,
  `${ITEMS}?sort=spec.priority,asc&sort=spec.time,asc`,
  `${ITEMS}?fieldSelector=spec.section!=section-7`,
];

afterAll(() => {
  killDaemons();
  removeDirectories();
});

it('lists and single objects that come from the disk are those that are in memory', async () => {
  const dataDir = temporaryDirectory();
  execFileSync(process.execPath, [path.join(BENCH, 'items-store.mjs'), dataDir, String(COUNT)]);
  const how = { dataDir, plugins: [path.join(BENCH, 'plugin')] };
  const read = async (targets: readonly string[]): Promise<readonly string[]> => {
    const daemon = await startDaemonProcess(how);
    const answers = await Promise.all(targets.map((target) => daemon.get(target)));
    expect((await daemon.stop()).code).toBe(0);
    expect(answers.map(({ status }) => status)).toEqual(targets.map(() => 200));
    // The beginning of a list depends on the moment.
    return answers.map(({ text }) => text.slice(Math.max(0, text.indexOf('"items"'))));
  };
  const [page = ''] = await read([`${ITEMS}?sort=spec.owner,asc&page=100&size=50`]);
  const { items } = JSON.parse(`{${page}`) as { items: readonly { metadata: { name: string } }[] };
  const targets = [...LISTS, ...items.map(({ metadata }) => `${ITEMS}/${metadata.name}`)];
  expect(targets).toHaveLength(LISTS.length + 50);
  // The system forgets what it keeps of a file that no process has open; where it does not, nothing is proven.
  execFileSync('dd', [`if=${path.join(dataDir, 'data.mdb')}`, 'iflag=nocache', 'count=0'], {
    stdio: 'ignore',
  });
  const fromDisk = await read(targets);
  const fromMemory = await read(targets);
  expect(fromDisk.map(({ length }) => length)).toEqual(fromMemory.map(({ length }) => length));
  expect(fromDisk.every((text, i) => text === fromMemory[i])).toBe(true);
});
