import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openCheck, openWriter } from '../../../src/daemon/offline/plugin-store.js';
import { readConfig, type Config } from '../../../src/config.js';
import { ServiceError } from '../../../src/errors.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, PERSON_REF, person } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const NAMES = ['one', 'two', 'three'];
const ROUNDS = 60;

function configOf(dataDir: string): Config {
  return readConfig({ flags: { dataDir, plugins: [PERSON_PLUGIN] }, env: {}, cwd: '/' });
}

async function expectSound(dataDir: string): Promise<void> {
  const check = await openCheck(configOf(dataDir), SILENT);
  const found = [];
  for await (const disagreement of check.disagreements) found.push(disagreement);
  await check.close();
  expect(found).toEqual([]);
}

const countOf = (object: { readonly status?: unknown }): number =>
  (object.status as { count?: number } | undefined)?.count ?? 0;

/** Adds one through the daemon; false when somebody else was quicker. */
async function addOverHttp(daemon: DaemonProcess, name: string): Promise<boolean> {
  const object = (await daemon.get(`${PERSONS}/${name}`)).json();
  const body = { ...object, status: { count: countOf(object) + 1 } };
  const answer = await daemon.send('PUT', `${PERSONS}/${name}`, { body });
  if (answer.status !== 200 && answer.status !== 409) throw new Error(answer.text);
  return answer.status === 200;
}

async function repeat(times: number, add: () => Promise<boolean>): Promise<number> {
  let refused = 0;
  for (let done = 0; done < times;) {
    if (await add()) done += 1;
    else refused += 1;
  }
  return refused;
}

it('loses no update when two processes write the same objects with version locks', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN] });
  for (const name of NAMES) await daemon.send('POST', PERSONS, { body: person(name) });
  const writer = await openWriter(configOf(dataDir), SILENT);
  const addHere = async (name: string): Promise<boolean> => {
    const object = await writer.get(PERSON_REF, name);
    try {
      await writer.update(PERSON_REF, name, { ...object, status: { count: countOf(object) + 1 } });
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'Conflict') return false;
      throw error;
    }
  };
  const refused = await Promise.all(
    NAMES.flatMap((name) => [
      repeat(ROUNDS, () => addOverHttp(daemon, name)),
      repeat(ROUNDS, () => addOverHttp(daemon, name)),
      repeat(ROUNDS, () => addHere(name)),
      repeat(ROUNDS, () => addHere(name)),
    ]),
  );
  // Without a single conflict nothing was tested.
  expect(refused.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  for (const name of NAMES) {
    const object = (await daemon.get(`${PERSONS}/${name}`)).json();
    expect([countOf(object), object.metadata.version]).toEqual([4 * ROUNDS, 4 * ROUNDS]);
    expect(await writer.get(PERSON_REF, name)).toEqual(object);
  }
  await writer.close();
  await daemon.stop();
  await expectSound(dataDir);
});

it('reads a commit in one process as soon as another one has answered it', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN] });
  const writer = await openWriter(configOf(dataDir), SILENT);
  for (let i = 0; i < 50; i++) {
    await writer.create(PERSON_REF, person(`here${i}`, { age: i }));
    expect((await daemon.get(`${PERSONS}/here${i}`)).status).toBe(200);
    await daemon.send('DELETE', `${PERSONS}/here${i}`);
    await expect(writer.get(PERSON_REF, `here${i}`)).rejects.toMatchObject({ code: 'NotFound' });
  }
  await writer.close();
  await daemon.stop();
});

const ENGINE = new URL('../../../dist/engines/lmdb/engine.js', import.meta.url).href;
/** Begins a transaction, says so, and never ends it. */
const STUCK = `
  import { writeSync } from 'node:fs';
  import { openLmdb } from ${JSON.stringify(ENGINE)};
  const engine = await openLmdb(process.argv[1]);
  await engine.commit((tx) => {
    tx.put(Buffer.from('~never committed'), Buffer.from('x'));
    writeSync(1, 'inside');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
  });`;

it('goes on after a process that was killed in the middle of a transaction', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN] });
  const args = ['--input-type=module', '-e', STUCK, dataDir];
  const stuck = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [said] = (await once(stuck.stdout, 'data')) as [Buffer];
    expect(said.toString()).toBe('inside');
    let answered = false;
    const waiting = daemon.send('POST', PERSONS, { body: person('later') });
    void waiting.then(() => (answered = true));
    // Reads go on while a writer is stuck; writes wait for it.
    expect((await daemon.get(`${PERSONS}/ada`)).status).toBe(200);
    expect(answered).toBe(false);
    const exited = once(stuck, 'exit');
    stuck.kill('SIGKILL');
    await exited;
    expect((await waiting).status).toBe(201);
    expect((await daemon.send('POST', PERSONS, { body: person('more') })).status).toBe(201);
  } finally {
    stuck.kill('SIGKILL');
  }
  await daemon.stop();
  await expectSound(dataDir);
});
