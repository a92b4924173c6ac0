import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { FIXTURE_PLUGINS, killDaemons, startDaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const THINGS = '/apis/things.example.com/v1/things';
const SENDERS = 8;
const BODIES = 5;
/** It takes 20 MB as objects, and as much again when it is copied. */
const NOTE = `[${Array(200_000).fill('{}').join()}]`;
const GROWN_MIB_MAX = 300;

afterEach(killDaemons);
afterAll(removeDirectories);

/** Memory of a process that is no file's. */
function anonymousMib(pid: number): number {
  const [, kib = '0'] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

it(`bodies of many objects, from ${SENDERS} senders, take at most ${GROWN_MIB_MAX} MiB together`, async () => {
  const daemon = await startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [path.join(FIXTURE_PLUGINS, 'things')],
  });
  const idle = anonymousMib(daemon.pid);
  const grown: number[] = [];
  const send = async (name: string): Promise<void> => {
    const body = `{"metadata":{"name":"${name}","labels":{"a":1}},"spec":{"note":${NOTE}}}`;
    expect((await daemon.send('POST', THINGS, { body })).status).toBe(422);
    grown.push(anonymousMib(daemon.pid) - idle);
  };
  const senders = Array.from({ length: SENDERS }, async (_, at) => {
    for (let count = 0; count < BODIES; count++) await send(`t${at}-${count}`);
  });
  await Promise.all(senders);
  expect(grown).toHaveLength(SENDERS * BODIES);
  expect(Math.max(...grown)).toBeLessThan(GROWN_MIB_MAX);
});
