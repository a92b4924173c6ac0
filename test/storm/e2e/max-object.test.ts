import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli } from '../../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonOptions,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, type HttpAnswer } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const MAX = 10_240;
const TYPE = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

const noted = (name: string, length: number) => ({
  ...TYPE,
  metadata: { name, annotations: { 'example.com/note': 'x'.repeat(length) } },
  spec: { name: 'Ann' },
});

let daemon: DaemonProcess;
let dataDir: string;

async function start(options: Partial<DaemonOptions> = {}): Promise<void> {
  dataDir = path.join(temporaryDirectory(), 'data');
  daemon = await startDaemonProcess({ dataDir, flags: ['--max-object', `${MAX}B`], ...options });
}

function expectTooLarge(answer: HttpAnswer, name = 'ann'): void {
  expect(answer.json()).toMatchObject({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: expect.stringContaining(`Person "${name}" would have`) as unknown,
  });
  expect(answer.json().message).toContain('--max-object');
}

/** Of the annotation, in an object that takes as many bytes as there may be. */
async function longestNote(name: string): Promise<number> {
  const created = await daemon.send('POST', PERSONS, { body: noted(name, 5_000) });
  expect(created.status).toBe(201);
  return 5_000 + MAX - Buffer.byteLength(created.text);
}

afterEach(killDaemons);
afterAll(removeDirectories);

describe('with --max-object, an object', () => {
  beforeEach(() => start());

  it('is stored up to the limit, and not one byte larger, by a create, an update and a patch', async () => {
    const length = await longestNote('ann');
    const atLimit = await daemon.send('PUT', `${PERSONS}/ann`, { body: noted('ann', length) });
    expect([atLimit.status, Buffer.byteLength(atLimit.text)]).toEqual([200, MAX]);
    const before = (await daemon.get(`${PERSONS}/ann`)).text;
    expectTooLarge(await daemon.send('PUT', `${PERSONS}/ann`, { body: noted('ann', length + 1) }));
    const patch = { metadata: { annotations: { 'example.com/note': 'x'.repeat(length + 1) } } };
    expectTooLarge(await daemon.send('PATCH', `${PERSONS}/ann`, { headers: MERGE, body: patch }));
    expect((await daemon.get(`${PERSONS}/ann`)).text).toBe(before);

    expectTooLarge(await daemon.send('POST', PERSONS, { body: noted('bob', length + 1) }), 'bob');
    expect((await daemon.send('POST', PERSONS, { body: noted('bob', length) })).status).toBe(201);
    const dry = await daemon.send('POST', `${PERSONS}?dryRun=All`, { body: noted('cyd', length + 1) });
    expectTooLarge(dry, 'cyd');
  });

  it('does not grow beyond it by what a JSON Patch copies', async () => {
    expect((await daemon.send('POST', PERSONS, { body: noted('ann', 3_000) })).status).toBe(201);
    const copies = (count: number) =>
      Array.from({ length: count }, (_, i) => {
        const to = `/metadata/annotations/example.com~1note${i}`;
        return { op: 'copy', from: '/metadata/annotations/example.com~1note', path: to };
      });
    const patch = (count: number) =>
      daemon.send('PATCH', `${PERSONS}/ann`, { headers: JSON_PATCH, body: copies(count) });
    for (const count of [3, 10, 1_000]) {
      expect((await patch(count)).json()).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
    }
    expect((await patch(2)).status).toBe(200);
  });

  it('fails a batch as a whole, with the item', async () => {
    const items = [noted('ann', 10), noted('bob', MAX)].map((object) => ({ verb: 'create', object }));
    const answer = await daemon.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { items } });
    expect(answer.json()).toMatchObject({
      code: 413,
      message: expect.stringMatching(/^items\[1\]: Person "bob" would have/) as unknown,
    });
    expect((await daemon.get(`${PERSONS}/ann`)).status).toBe(404);
  });

  it('that was larger before can be made smaller, marked and deleted, but not larger', async () => {
    const long = { ...noted('ann', MAX), metadata: { ...noted('ann', MAX).metadata, finalizers: ['a.b/c'] } };
    await daemon.stop();
    daemon = await startDaemonProcess({ dataDir });
    expect((await daemon.send('POST', PERSONS, { body: long })).status).toBe(201);
    await daemon.stop();
    daemon = await startDaemonProcess({ dataDir, flags: ['--max-object', `${MAX}B`] });

    const grow = { metadata: { annotations: { 'example.com/more': 'x' } } };
    const patch = (body: unknown) => daemon.send('PATCH', `${PERSONS}/ann`, { headers: MERGE, body });
    expect((await patch(grow)).status).toBe(413);
    const shrink = { metadata: { annotations: { 'example.com/note': 'x'.repeat(MAX - 10) } } };
    expect((await patch(shrink)).status).toBe(200);
    expect((await daemon.send('DELETE', `${PERSONS}/ann`)).json().metadata.deletionTimestamp).toBeDefined();
    expect((await patch({ metadata: { finalizers: null } })).status).toBe(200);
    expect((await daemon.get(`${PERSONS}/ann`)).status).toBe(404);
  });
});

describe('a limit of objects', () => {
  it('is twice the limit of bodies by default', async () => {
    await start({ flags: ['--max-body', '5120B'] });
    for (const part of ['a', 'b', 'c']) {
      const patch = { metadata: { annotations: { [`example.com/${part}`]: 'x'.repeat(4_500) } } };
      if (part === 'a') await daemon.send('POST', PERSONS, { body: noted('ann', 10) });
      const answer = await daemon.send('PATCH', `${PERSONS}/ann`, { headers: MERGE, body: patch });
      expect([part, answer.status]).toEqual([part, part === 'c' ? 413 : 200]);
    }
  });

  it('holds for the command line on the store too, whatever it writes', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, {
      'xsvc.yaml': `maxObject: ${MAX}B\nplugins: ['${EXAMPLE_PLUGINS}']\n`,
      'big.json': JSON.stringify(noted('big', MAX)),
      'small.json': JSON.stringify(noted('small', 10)),
      'big.ndjson': `${JSON.stringify(noted('big', MAX))}\n`,
    });
    const xsvc = (...argv: string[]) => runCli(argv, { cwd });
    const tooLarge = {
      code: 5,
      err: expect.stringContaining('Person "big" would have') as unknown,
    };
    expect(await xsvc('create', '-f', 'big.json')).toMatchObject(tooLarge);
    expect(await xsvc('apply', '-f', 'big.json', '-f', 'small.json')).toMatchObject(tooLarge);
    expect(await xsvc('import', '-f', 'big.ndjson')).toMatchObject(tooLarge);
    expect(await xsvc('get', 'persons', '-o', 'name')).toMatchObject({ code: 0, out: '' });
    expect(await xsvc('apply', '-f', 'small.json')).toMatchObject({ code: 0 });
    expect(await xsvc('annotate', 'person', 'small', `example.com/more=${'x'.repeat(MAX)}`)).toMatchObject({
      code: 5,
      err: expect.stringContaining('Person "small" would have') as unknown,
    });
  });

  it('fails a plugin that declares a larger one', async () => {
    const plugins = temporaryDirectory();
    cpSync(path.join(EXAMPLE_PLUGINS, 'person'), path.join(plugins, 'person'), { recursive: true });
    await putFiles(path.join(plugins, 'person', 'extensions'), {
      'big.yaml': JSON.stringify(noted('big', MAX)),
    });
    await start({ plugins: [plugins] });
    const plugin = (await daemon.get('/apis/plugin.platform.run/v1alpha1/plugins/person')).json();
    expect(plugin.status).toMatchObject({
      phase: 'FAILED',
      message: expect.stringMatching(/big\.yaml:1: .*Person "big" would have/) as unknown,
    });
  });
});
