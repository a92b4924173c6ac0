import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const KILLS = 50;
const WRITERS = 8;
const NAMES_PER_WRITER = 6;
/** Fewer writes would put nothing at risk; on a slow disk it takes more kills to have them. */
const WRITES_MIN = KILLS * WRITERS;
const PLUGINS = [path.join(EXAMPLE_PLUGINS, 'person')];

/** A number that an object has in several places that must agree; undefined when there is no object. */
type Mark = number | undefined;

/** Knowledge about one name: the last answer, and the request sent after it. */
interface Known {
  answered: Mark;
  asked: { readonly mark: Mark } | undefined;
}

function bodyOf(name: string, mark: number): object {
  const labels = { 'example.com/mark': `m${mark}` };
  return person(
    name,
    { age: mark % 151, email: `${name}-${mark}@example.com`, tags: [`m${mark}`] },
    { labels },
  );
}

/** Writes until the daemon is gone. */
async function storm(daemon: DaemonProcess, known: Map<string, Known>, writer: number): Promise<number> {
  const names = [...known.keys()].filter((name) => name.startsWith(`w${writer}-`));
  for (let writes = 0; ; writes++) {
    const name = names[Math.floor(Math.random() * names.length)] ?? '';
    const entry = known.get(name);
    if (entry === undefined) throw new Error(`unknown name ${name}`);
    const mark = Math.random() < 0.25 && entry.answered !== undefined ? undefined : nextMark++;
    entry.asked = { mark };
    const answer = await write(daemon, name, entry.answered !== undefined, mark).catch(() => undefined);
    if (answer === undefined) return writes;
    if (answer.status !== 200 && answer.status !== 201) throw new Error(answer.text);
    entry.answered = mark;
    entry.asked = undefined;
  }
}

let nextMark = 1;

function write(daemon: DaemonProcess, name: string, exists: boolean, mark: Mark) {
  const target = `${PERSONS}/${name}`;
  if (mark === undefined) return daemon.send('DELETE', target);
  const body = bodyOf(name, mark);
  return exists ? daemon.send('PUT', target, { body }) : daemon.send('POST', PERSONS, { body });
}

/** Compares the store with what was answered; takes over what was asked for and may or may not have happened. */
async function compare(daemon: DaemonProcess, known: Map<string, Known>): Promise<void> {
  const list = (await daemon.get(PERSONS)).json();
  const found = new Map(list.items.map((item) => [String(item.metadata.name), item]));
  expect(list.total).toBe(list.items.length);
  for (const [name, entry] of known) {
    const object = found.get(name);
    const mark = object === undefined ? undefined : Number(String(object.spec.tags).slice(1));
    const possible = [entry.answered, ...(entry.asked === undefined ? [] : [entry.asked.mark])];
    expect(possible, name).toContain(mark);
    if (mark !== undefined) expect(object).toMatchObject(bodyOf(name, mark));
    known.set(name, { answered: mark, asked: undefined });
    if (mark === undefined) continue;
    const byMark = await daemon.get(
      `${PERSONS}?fieldSelector=spec.tags=m${mark}&labelSelector=example.com/mark=m${mark}`,
    );
    expect(byMark.json().items.map(({ metadata }) => metadata.name)).toEqual([name]);
  }
}

it(`loses no answered write in ${KILLS} kills, and leaves none half done`, async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const names = Array.from({ length: WRITERS }, (_, writer) =>
    Array.from({ length: NAMES_PER_WRITER }, (_, i) => `w${writer}-${i}`),
  ).flat();
  const known = new Map<string, Known>(
    names.map((name) => [name, { answered: undefined, asked: undefined }]),
  );
  let writes = 0;
  for (let kill = 0; kill < KILLS || writes <= WRITES_MIN; kill++) {
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    await compare(daemon, known);
    const storms = Array.from({ length: WRITERS }, (_, writer) => storm(daemon, known, writer));
    await sleep(20 + Math.random() * 300);
    daemon.signal('SIGKILL');
    for (const count of await Promise.all(storms)) writes += count;
    expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
  }
  expect(writes).toBeGreaterThan(WRITES_MIN);
  const last = await startDaemonProcess({ dataDir, plugins: PLUGINS });
  await compare(last, known);
  await last.stop();
  const check = await runProgram([
    'check',
    '--data-dir',
    dataDir,
    ...PLUGINS.flatMap((one) => ['--plugins', one]),
  ]);
  expect(check).toMatchObject({ code: 0 });
});
