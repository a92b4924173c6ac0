import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../../helpers/cli.js';
import {
  FIXTURE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { findKubectl, killKubectls, kubectlFor } from '../../helpers/kubectl.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PLUGIN = path.join(FIXTURE_PLUGINS, 'things');
const THINGS = '/apis/things.example.com/v1/things';
const KIND = { apiVersion: 'things.example.com/v1', kind: 'Thing' };

let dataDir: string;
let daemon: DaemonProcess;

beforeEach(async () => {
  dataDir = path.join(temporaryDirectory(), 'data');
  await start();
});

async function start(): Promise<void> {
  daemon = await startDaemonProcess({ dataDir, plugins: [PLUGIN] });
}

interface Created {
  readonly name: string;
  readonly uid: string;
}

async function create(name: string, metadata: object = {}): Promise<Created> {
  const body = { metadata: { name, ...metadata }, spec: {} };
  const answer = await daemon.send('POST', THINGS, { body });
  expect(answer.status).toBe(201);
  return { name, uid: String(answer.json().metadata.uid) };
}

const ownedBy = (...owners: readonly Created[]): object => ({
  ownerReferences: owners.map((owner) => ({ ...KIND, ...owner, blockOwnerDeletion: true })),
});

async function names(): Promise<unknown[]> {
  const { items } = (await daemon.get(THINGS)).json();
  return items.map(({ metadata }) => metadata.name);
}

const cli = (...args: readonly string[]): Promise<CliResult> =>
  runCli([...args, '--data-dir', dataDir, '--plugins', PLUGIN], { cwd: '/' });
const remote = (...args: readonly string[]): Promise<CliResult> =>
  runCli([...args, '--server', daemon.url], { cwd: '/' });

it('a delete as kubectl sends it deletes dependents too, and the history names the user', async () => {
  const ada = await create('ada');
  await create('bert', ownedBy(ada));
  const body = { propagationPolicy: 'Background' };
  const answer = await daemon.send('DELETE', `${THINGS}/ada`, { body });
  expect(answer.status).toBe(200);
  await expect.poll(names).toEqual([]);
  const { items } = (await daemon.get(`${THINGS}/bert/history`)).json();
  expect(items[0]).toMatchObject({ verb: 'delete', user: 'system:garbage-collector' });
  expect((await daemon.stop()).code).toBe(0);
});

it('--cascade says what becomes of dependents, of one object and of a selection', async () => {
  const [ada, cleo, eve] = [await create('ada'), await create('cleo'), await create('eve')];
  await create('of-ada', ownedBy(ada));
  await create('of-cleo', { ...ownedBy(cleo), finalizers: ['example.com/hold'] });
  await create('of-eve', ownedBy(eve));
  const foreground = await remote('delete', 'thing', 'cleo', '--cascade', 'foreground');
  expect(foreground.out).toBe(
    'things/cleo marked for deletion, waiting for finalizers: foregroundDeletion\n',
  );
  const orphaned = await remote(
    'delete',
    'things',
    '--field-selector',
    'name in (ada,eve)',
    '--cascade=orphan',
  );
  expect(orphaned).toMatchObject({ code: 0, err: '' });
  await expect.poll(names).toEqual(['cleo', 'of-ada', 'of-cleo', 'of-eve']);
  expect((await daemon.get(`${THINGS}/of-ada`)).json().metadata).not.toHaveProperty('ownerReferences');
  const patch = {
    body: { metadata: { finalizers: null } },
    headers: { 'content-type': 'application/merge-patch+json' },
  };
  expect((await daemon.send('PATCH', `${THINGS}/of-cleo`, patch)).status).toBe(200);
  await expect.poll(names).toEqual(['of-ada', 'of-eve']);
  const unknown = await remote('delete', 'thing', 'of-ada', '--cascade', 'sideways');
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toMatch('background, foreground, orphan');
});

it('deletions without a daemon are completed when one starts', async () => {
  const [ada, bert] = [await create('ada'), await create('bert')];
  await create('of-ada', ownedBy(ada));
  await create('of-both', ownedBy(ada, bert));
  await create('of-bert', ownedBy(bert));
  await daemon.stop();
  expect((await cli('delete', 'thing', 'ada')).out).toBe('things/ada deleted\n');
  const orphan = await cli('delete', 'thing', 'bert', '--cascade', 'orphan');
  expect(orphan.out).toBe('things/bert marked for deletion, waiting for finalizers: orphan\n');
  await start();
  await expect.poll(names).toEqual(['of-bert', 'of-both']);
  expect((await daemon.get(`${THINGS}/of-both`)).json().metadata).not.toHaveProperty('ownerReferences');
});

it('a delete by the command line beside a daemon is followed', async () => {
  const ada = await create('ada');
  await create('bert', ownedBy(ada));
  expect((await cli('delete', 'thing', 'ada')).code).toBe(0);
  await expect.poll(names).toEqual([]);
});

it('an import finds owners that come after their dependents, in other lots and in chains', async () => {
  // Each is owned by the next one, and the files have them in lots.
  const count = 1_200;
  const lines = Array.from({ length: count }, (_, i) => {
    const owner = { name: `t${i % 10 === 9 ? count - 1 : i + 1}`, uid: `was-${i}` };
    const metadata = { name: `t${i}`, ...(i < count - 1 && ownedBy(owner)) };
    return JSON.stringify({ ...KIND, metadata });
  });
  const cwd = temporaryDirectory();
  await putFiles(cwd, { 'all.ndjson': lines.join('\n') });
  expect(await remote('import', '-f', path.join(cwd, 'all.ndjson'))).toEqual({
    code: 0,
    out: `${count} created\n`,
    err: expect.not.stringContaining('missing owners') as string,
  });
  const owned = await remote('get', 'things', '--filter', 'has(metadata.ownerReferences.uid)', '-o', 'name');
  expect(owned.out.trim().split('\n')).toHaveLength(count - 1);
  expect(await remote('import', '-f', path.join(cwd, 'all.ndjson'))).toMatchObject({
    out: `0 created, ${count} unchanged\n`,
  });
});

it('describe shows owners and dependents', async () => {
  const ada = await create('ada');
  const gone = { name: 'zoe', uid: '00000000-0000-4000-8000-000000000000' };
  await create('bert', {
    ownerReferences: [
      { ...KIND, ...ada, controller: true },
      { ...KIND, ...gone, kind: 'Ghost' },
    ],
    finalizers: ['example.com/hold'],
  });
  // The owner that is gone is taken out; what is being deleted stays as it is.
  const owners = async () => (await daemon.get(`${THINGS}/bert`)).json().metadata.ownerReferences;
  await expect.poll(owners).toHaveLength(1);
  const eve = await create('eve');
  for (let i = 10; i < 23; i++) await create(`of-bert-${i}`, ownedBy(eve, ada));
  await daemon.send('DELETE', `${THINGS}/bert`);
  const overHttp = await remote('describe', 'thing', 'ada');
  await daemon.stop();
  const bert = await cli('describe', 'thing', 'bert');
  expect(bert.out).toMatch(/^Owners:\n {2}things\/ada \(controller\)$/m);
  const shown = await cli('describe', 'thing', 'ada');
  expect(shown.out).not.toMatch('Owners:');
  expect(shown.out).toMatch(/^Dependents:\n {2}things\/bert\n {2}things\/of-bert-10\n/m);
  expect(shown.out).toMatch(
    /^ {2}and 4 more things\n {2}\(13 of the 14 things have other owners as well\)\n {2}\(1 of the 14 things are being deleted\)$/m,
  );
  const dependents = /^Dependents:\n( {2}.*\n)+/m;
  expect(dependents.exec(overHttp.out)?.[0]).toBe(dependents.exec(shown.out)?.[0]);
});

it('the objects that an object owns are listed over HTTP, which checks the object and the limit', async () => {
  const ada = await create('ada');
  for (const name of ['a', 'b']) await create(name, ownedBy(ada));
  const path = '/apis/api.platform.run/v1alpha1/dependents';
  const answer = await daemon.get(`${path}?resource=things.things.example.com&name=ada&limit=1`);
  expect(answer.json()).toEqual({
    apiVersion: 'api.platform.run/v1alpha1',
    kind: 'DependentList',
    metadata: {},
    items: [
      {
        group: 'things.example.com',
        version: 'v1',
        kind: 'Thing',
        plural: 'things',
        total: 2,
        shared: 0,
        deleting: 0,
        names: ['a'],
      },
    ],
  });
  const statuses = [
    '',
    '?resource=things&name=zoe',
    '?resource=no&name=a',
    '?resource=things&name=a&limit=1001',
  ];
  const answers = await Promise.all(statuses.map(async (query) => (await daemon.get(path + query)).status));
  expect(answers).toEqual([400, 404, 404, 400]);
  expect((await daemon.send('POST', `${path}?resource=things&name=ada`)).status).toBe(405);
});

const program = findKubectl();

it.skipIf(program === undefined)(
  'kubectl waits for what it deletes in the foreground, and orphans',
  async () => {
    const kubectl = kubectlFor(program ?? '', daemon.url, path.join(temporaryDirectory(), 'home'));
    try {
      const ada = await create('ada');
      const bert = await create('bert', ownedBy(ada));
      await create('cleo', ownedBy(bert));
      const foreground = await kubectl.run('delete thing ada --cascade=foreground --timeout=120s');
      expect(foreground).toMatchObject({ code: 0, err: '' });
      expect(await names()).toEqual([]);
      await create('bert', ownedBy(await create('ada')));
      expect(await kubectl.run('delete thing ada --cascade=orphan --timeout=120s')).toMatchObject({
        code: 0,
      });
      expect(await names()).toEqual(['bert']);
    } finally {
      killKubectls();
    }
  },
);
