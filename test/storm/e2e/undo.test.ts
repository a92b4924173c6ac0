import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAudit } from '../../helpers/audit.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import type { HttpAnswer } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const UNDOS = '/apis/api.platform.run/v1alpha1/undos';

let directory: string;
let daemon: DaemonProcess;

afterEach(killDaemons);
afterAll(removeDirectories);

const start = async (): Promise<void> => {
  const flags = ['--audit-log', path.join(directory, 'audit.log'), '--audit-strict', '--max-body', '16MiB'];
  daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins: [], flags });
};

beforeEach(async () => {
  directory = temporaryDirectory();
  await start();
});

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `map-${i}`);

async function createAll(count: number): Promise<string> {
  const items = namesOf(count).map((name) => ({
    verb: 'create',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name },
      data: { key: 'x'.repeat(100) },
    },
  }));
  const answer = await daemon.send('POST', BATCHES, { body: { items } });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return revisionOf(answer);
}

/** The revision of a commit, by its answer. */
const revisionOf = (answer: HttpAnswer): string => {
  const { resourceVersion } = answer.json().metadata;
  if (typeof resourceVersion !== 'string') throw new Error(answer.text.slice(0, 500));
  return resourceVersion;
};

const undo = (revision: string, force = false): Promise<HttpAnswer> =>
  daemon.send('POST', UNDOS, { body: { revision, force } });

async function undone(revision: string): Promise<string> {
  const answer = await undo(revision);
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return revisionOf(answer);
}

/** Name and uid of each object. */
async function stored(): Promise<Map<string, string>> {
  const { items } = (await daemon.get(`${MAPS}?size=0`)).json();
  return new Map(items.map(({ metadata }) => [String(metadata.name), String(metadata.uid)]));
}

async function expectSound(): Promise<void> {
  expect(await daemon.stop()).toMatchObject({ code: 0 });
  expect(await runProgram(['check', '--data-dir', path.join(directory, 'data')])).toMatchObject({ code: 0 });
}

describe('a commit of 10,000 objects', () => {
  const COUNT = 10_000;

  it('is undone and made again, while others are answered', async () => {
    let revision = await createAll(COUNT);
    const before = await stored();
    const waits: number[] = [];
    const undoing = new AbortController();
    const others = (async () => {
      while (!undoing.signal.aborted) {
        const began = performance.now();
        expect((await daemon.get('/readyz')).status).toBe(200);
        waits.push(performance.now() - began);
        await sleep(10);
      }
    })();
    for (const count of [0, COUNT, 0, COUNT]) {
      const began = performance.now();
      revision = await undone(revision);
      console.log(`an undo of ${COUNT} took ${Math.round(performance.now() - began)} ms`);
      expect((await stored()).size).toBe(count);
    }
    undoing.abort();
    await others;
    console.log(`the longest wait of others: ${Math.round(Math.max(...waits))} ms`);
    // A commit of that size has one pause, whatever it writes.
    expect(Math.max(...waits)).toBeLessThan(5_000);
    expect(await stored()).toEqual(before);
    const lines = readAudit(path.join(directory, 'audit.log')).filter(({ via }) => via === 'http');
    expect(lines).toHaveLength(5 * COUNT);
    expect(new Set(lines.map((line) => line.revision)).size).toBe(5 * COUNT);
    await expectSound();
  });

  it('is undone as a whole or not at all when the process is killed', async () => {
    let revision = await createAll(COUNT);
    const began = performance.now();
    for (let i = 0; i < 2; i++) revision = await undone(revision);
    const undoMs = (performance.now() - began) / 2;
    let isThere = true;
    let kills = { before: 0, after: 0 };
    for (let i = 0; i < 8; i++) {
      const answer = undo(revision).catch(() => undefined);
      await sleep(undoMs * (0.3 + i * 0.15));
      daemon.signal('SIGKILL');
      const given = await answer;
      await daemon.exited;
      await start();
      const { size } = await stored();
      expect([0, COUNT]).toContain(size);
      const isUndone = (size === COUNT) !== isThere;
      if (given?.status === 200)
        expect([isUndone, given.text.slice(0, 300)]).toEqual([true, expect.anything()]);
      kills = isUndone ? { ...kills, after: kills.after + 1 } : { ...kills, before: kills.before + 1 };
      if (isUndone) {
        const { items } = (await daemon.get(`${MAPS}/map-0/history`)).json();
        ({ resourceVersion: revision } = items[0] as unknown as { resourceVersion: string });
        isThere = !isThere;
      }
    }
    console.log(`killed before the commit ${kills.before} times, after it ${kills.after} times`);
    await undone(revision);
    await expectSound();
  });
});

describe('while others write the same objects', () => {
  const COUNT = 200;

  it('an undo takes all back or nothing, and says which writes it has overwritten', async () => {
    await createAll(COUNT);
    const answered = new Map<string, number>();
    const mark = async (value: string): Promise<string> => {
      const items = namesOf(COUNT).map((name) => ({
        verb: 'patch',
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'default',
        name,
        type: 'merge',
        patch: { data: { mark: value } },
      }));
      const answer = await daemon.send('POST', BATCHES, { body: { items } });
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      return revisionOf(answer);
    };
    const marks = async (): Promise<unknown[]> => {
      const { items } = (await daemon.get(`${MAPS}?size=0`)).json();
      return [...new Set(items.map((item) => (item as unknown as { data: { mark?: string } }).data.mark))];
    };
    let isDone = false;
    const write = async (writer: number): Promise<void> => {
      for (let i = 1; !isDone; i++) {
        const name = `map-${(writer * 50 + i * 7) % COUNT}`;
        const headers = { 'Content-Type': 'application/merge-patch+json' };
        const body = { data: { count: `${writer}-${i}` } };
        const answer = await daemon.send('PATCH', `${MAPS}/${name}`, { headers, body });
        expect(answer.status, answer.text).toBe(200);
        answered.set(name, (answered.get(name) ?? 0) + 1);
      }
    };
    await mark('first');
    for (let round = 0; round < 10; round++) {
      const revision = await mark(`round-${round}`);
      const before = await marks();
      isDone = false;
      answered.clear();
      const writers = [0, 1, 2, 3].map(write);
      await expect.poll(() => answered.size).toBeGreaterThan(20);
      const refused = await undo(revision);
      expect([refused.status, await marks()]).toEqual([409, before]);
      const written = [...answered.keys()];
      // Those who write between the plan of an undo and its commit prevent it.
      let forced = await undo(revision, true);
      isDone = true;
      await Promise.all(writers);
      if (forced.status === 409) {
        expect(forced.json().message).toContain('meanwhile; try again');
        expect(await marks()).toEqual(before);
        forced = await undo(revision, true);
      }
      expect(forced.status, forced.text.slice(0, 500)).toBe(200);
      expect(await marks()).toEqual(['first']);
      const items = forced.json().items as unknown as { name: string; isOverwritten?: boolean }[];
      const overwritten = new Set(items.filter((item) => item.isOverwritten).map(({ name }) => name));
      for (const name of written) expect(overwritten).toContain(name);
    }
    await expectSound();
  });
});

describe('the undo of a deletion with owners', () => {
  it('brings back what the owner took along, again and again, and the garbage collector leaves it', async () => {
    const owner = await daemon.send('POST', MAPS, { body: { metadata: { name: 'owner' } } });
    const { uid } = owner.json().metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    for (const name of namesOf(20)) {
      const body = { metadata: { name, ownerReferences } };
      expect((await daemon.send('POST', MAPS, { body })).status).toBe(201);
    }
    const all = await stored();
    expect(all.size).toBe(21);
    const revision = async (): Promise<string> =>
      String((await daemon.get(`${MAPS}?size=1`)).json().metadata.resourceVersion);
    const before = Number(await revision());
    expect((await daemon.send('DELETE', `${MAPS}/owner`)).status).toBe(200);
    await expect.poll(async () => (await stored()).size).toBe(0);
    let last = await undone(String(before + 1));
    expect(await stored()).toEqual(all);
    for (let i = 0; i < 5; i++) {
      last = await undone(last);
      expect((await stored()).size).toBe(0);
      last = await undone(last);
      expect(await stored()).toEqual(all);
    }
    // The collector works in order: after this write, it has done the work for those before.
    const stray = { ...ownerReferences[0], uid: 'gone' };
    await daemon.send('POST', MAPS, { body: { metadata: { name: 'stray', ownerReferences: [stray] } } });
    await expect.poll(async () => (await stored()).has('stray')).toBe(false);
    expect(await stored()).toEqual(all);
    expect((await daemon.send('DELETE', `${MAPS}/owner`)).status).toBe(200);
    await expect.poll(async () => (await stored()).size).toBe(0);
    await expectSound();
  });
});
