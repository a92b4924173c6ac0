import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const WRITERS = 4;
const ANSWERED_MIN = 100;

const nameOf = (writer: number, i: number): string => `w${writer}-${i}`;
const markOf = (name: string): object => person(name, { tags: [name] });

/** Creates objects until the daemon is gone. @param onAnswer called with the name of each that was answered */
async function write(
  daemon: DaemonProcess,
  writer: number,
  onAnswer: (name: string) => void,
): Promise<string> {
  for (let i = 0; ; i += 1) {
    const name = nameOf(writer, i);
    const answer = await daemon.send('POST', PERSONS, { body: markOf(name) }).catch(() => undefined);
    if (answer === undefined) return name;
    expect(answer.status, answer.text).toBe(201);
    onAnswer(name);
  }
}

/** Every name is there, and the index of tags finds the same objects. */
async function expectThere(daemon: DaemonProcess, names: readonly string[]): Promise<void> {
  const list = (await daemon.get(`${PERSONS}?sort=spec.tags,asc`)).json();
  const found = list.items.map(({ metadata }) => String(metadata.name));
  expect(found).toEqual(expect.arrayContaining([...names]));
  expect(list.total).toBe(found.length);
  for (const name of [names[0], names.at(-1)]) {
    const byTag = (await daemon.get(`${PERSONS}?fieldSelector=spec.tags=${name ?? ''}`)).json();
    expect(byTag.items.map(({ metadata }) => metadata.name)).toEqual([name]);
  }
}

it('a daemon that is killed while it writes has every answered object when it starts again, and after a restart', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const start = (): Promise<DaemonProcess> => startDaemonProcess({ dataDir, plugins: [PLUGIN] });
  const first = await start();
  const answered: string[] = [];
  const onAnswer = (name: string): void => {
    answered.push(name);
    if (answered.length === ANSWERED_MIN) first.signal('SIGKILL');
  };
  const unsure = await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) => write(first, writer, onAnswer)),
  );
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(unsure).toHaveLength(WRITERS);

  const second = await start();
  await expectThere(second, answered);
  expect((await second.send('POST', PERSONS, { body: markOf('after-the-kill') })).status).toBe(201);
  expect(await second.stop()).toEqual({ code: 0, signal: null });

  const check = await runProgram(['check', '--data-dir', dataDir, '--plugins', PLUGIN]);
  expect(check).toMatchObject({ code: 0 });

  const third = await start();
  await expectThere(third, [...answered, 'after-the-kill']);
  expect(await third.stop()).toEqual({ code: 0, signal: null });
});
