import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openWriter } from '../../../src/daemon/offline/plugin-store.js';
import { openRemote } from '../../../src/client/http-verbs.js';
import { readConfig } from '../../../src/config.js';
import { ServiceError } from '../../../src/errors.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import {
  EXAMPLE_PLUGINS,
  freePort,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSON_REF, person } from '../../helpers/http.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const KILLS = 8;
const seed = seedOfRun();

/** Every change that a client receives over the life of many watches, each resumed after the last one's revision. */
async function watchThroughKills(url: string, ending: AbortSignal, reported: string[]): Promise<void> {
  let position = '0';
  while (!ending.aborted) {
    try {
      const options = position === '0' ? {} : { resourceVersion: position };
      for await (const { type, object } of openRemote(url).watch(PERSON_REF, {
        ...options,
        signal: ending,
      })) {
        const { resourceVersion } = object.metadata;
        // The objects there were come by name.
        if (Number(resourceVersion) < Number(position)) throw new Error('the order is broken');
        if (type === 'BOOKMARK') continue;
        reported.push(`${resourceVersion} ${object.metadata.name} ${type === 'DELETED' ? 'gone' : 'there'}`);
        position = resourceVersion;
      }
    } catch (error) {
      const isPassing =
        error instanceof ServiceError && ['ServiceUnavailable', 'NotFound'].includes(error.code);
      if (!isPassing) throw error;
    }
    await sleep(20);
  }
}

it(`a watch that is resumed after each kill of the daemon misses nothing and repeats nothing (seed ${seed})`, async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const port = await freePort();
  let daemon: DaemonProcess = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], port });
  const config = readConfig({ flags: { dataDir, plugins: [PERSON_PLUGIN] }, env: {}, cwd: '/' });
  const writer = await openWriter(config, SILENT);
  const remote = openRemote(daemon.url);
  for (const { metadata } of (await writer.list(PERSON_REF)).items)
    await writer.delete(PERSON_REF, metadata.name);
  const first = (await writer.create(PERSON_REF, person('first'))).object.metadata.resourceVersion;

  const reported: string[] = [];
  const ending = new AbortController();
  const watching = watchThroughKills(daemon.url, ending.signal, reported);
  await expect.poll(() => reported.length).toBe(1);

  const random = new Random(seed);
  const answers = new Set<string>([`${first} first there`]);
  const isOver = { now: false };
  const writing = (async () => {
    for (let i = 0; !isOver.now; i++) {
      const name = `w${random.below(20)}`;
      const { object } = await writer
        .create(PERSON_REF, person(name))
        .catch(() => writer.delete(PERSON_REF, name));
      const { resourceVersion, deletionTimestamp } = object.metadata;
      answers.add(`${resourceVersion} ${name} ${deletionTimestamp === undefined ? 'there' : 'gone'}`);
      await sleep(1);
    }
  })();
  const overHttp = (async () => {
    for (let i = 0; !isOver.now; i++) {
      const object = person(`h${i}`);
      const done = await remote.create(PERSON_REF, object).catch(() => undefined);
      if (done !== undefined) answers.add(`${done.object.metadata.resourceVersion} h${i} there`);
      await sleep(2);
    }
  })();
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(200 + random.below(300));
    daemon.signal('SIGKILL');
    await daemon.exited;
    daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], port });
  }
  isOver.now = true;
  await Promise.all([writing, overHttp]);

  await writer.create(PERSON_REF, person('last'));
  await expect.poll(() => reported.at(-1)).toMatch(/ last there$/);
  ending.abort();
  await watching;
  expect(new Set(reported).size).toBe(reported.length);
  const toldSet = new Set(reported);
  expect([...answers].filter((answer) => !toldSet.has(answer))).toEqual([]);
  const revisions = reported.map((text) => Number(text.split(' ')[0]));
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));

  const known = new Map<string, string>();
  for (const text of reported) {
    const [revision = '', name = '', state] = text.split(' ');
    if (state === 'gone') known.delete(name);
    else known.set(name, revision);
  }
  const { items } = await writer.list(PERSON_REF);
  const stored = items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
  expect([...known].sort()).toEqual(stored);
  await writer.close();
  await daemon.stop();
});
