import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createClient, type ModelClient } from 'xsvc/client';
import { putFiles } from '../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
/** The size that a page loads, in bytes. */
const BUNDLE_BYTES_MAX = 15_500;

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});
afterAll(() => {
  killDaemons();
  removeDirectories();
});

async function start(options: { dataDir: string; port?: number; flags?: string[] }): Promise<DaemonProcess> {
  const daemon = await startDaemonProcess({ plugins: [PERSON_PLUGIN], ...options });
  ended.push(() => daemon.stop());
  return daemon;
}

const personsAt = (server: string, token?: string): ModelClient =>
  createClient({ server, token }).model('persons.demo.example.com');
const person = (name: string) => ({ metadata: { name }, spec: { name } });

describe('a client for programs and a daemon', () => {
  it('follows over a restart, and loses nothing', async () => {
    const dataDir = temporaryDirectory();
    const first = await start({ dataDir });
    const persons = personsAt(first.url);
    const NEW = { filter: '!(metadata.name in ["ada", "bert", "cleo"])' };
    const live = persons.live(NEW);
    ended.unshift(() => live.close());
    await live.ready;
    const watch = persons.watch(NEW);
    ended.unshift(() => watch.close());
    const added: string[] = [];
    void (async () => {
      for await (const event of watch) if (event.type === 'ADDED') added.push(event.object.metadata.name);
    })();
    await persons.create(person('before'));
    await expect.poll(() => [live.total, added]).toEqual([1, ['before']]);
    await first.stop();
    await expect.poll(() => live.error).toMatchObject({ reason: 'ServiceUnavailable' });
    const flags = ['--data-dir', dataDir, '--plugins', PERSON_PLUGIN];
    const file = path.join(temporaryDirectory(), 'meanwhile.json');
    await putFiles(path.dirname(file), {
      'meanwhile.json': JSON.stringify({
        apiVersion: 'demo.example.com/v1alpha1',
        kind: 'Person',
        ...person('meanwhile'),
      }),
    });
    expect((await runProgram(['create', '-f', file, ...flags])).code).toBe(0);
    await start({ dataDir, port: first.port });
    await expect.poll(() => [live.total, live.error, added]).toEqual([2, undefined, ['before', 'meanwhile']]);
  });

  it('has the rights of its token, which may change', async () => {
    const dataDir = temporaryDirectory();
    const daemon = await start({ dataDir, flags: ['--auth', 'token'] });
    const token = /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(daemon.output.stdout)?.[0] ?? '';
    for (const wrong of [undefined, 'wrong']) {
      const persons = personsAt(daemon.url, wrong);
      await expect(persons.list()).rejects.toMatchObject({ status: 401, reason: 'Unauthorized' });
      await expect(persons.watch()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 401 });
      const live = persons.live();
      await expect(live.ready).rejects.toMatchObject({ status: 401 });
    }
    await expect(personsAt(daemon.url, token).list()).resolves.toMatchObject({ total: 3 });
    const tokens = ['wrong', token, token];
    const renewing = createClient({ server: daemon.url, token: async () => tokens.shift() ?? token });
    const persons = renewing.model('persons.demo.example.com');
    await expect(persons.list()).rejects.toMatchObject({ status: 401 });
    await expect(persons.list()).resolves.toMatchObject({ total: 3 });
  });

  it('shows a list without the right to watch it, and says that it may be outdated', async () => {
    const dataDir = temporaryDirectory();
    const daemon = await start({ dataDir, flags: ['--auth', 'token'] });
    const token = /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(daemon.output.stdout)?.[0] ?? '';
    const rules = [{ apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['list'] }];
    const roles = createClient({ server: daemon.url, token }).model('roles.access.platform.run');
    await roles.create({ metadata: { name: 'lister' }, rules });
    const flags = ['--user', 'eve', '--role', 'lister', '--server', daemon.url, '--token', token];
    const eve = (await runProgram(['token', 'create', ...flags])).stdout.trim();
    await expect(personsAt(daemon.url, eve).list()).rejects.toMatchObject({ status: 403 });
    // The name says everything, so that no right to discovery is needed.
    const client = createClient({ server: daemon.url, token: eve });
    const live = client.model('persons.v1alpha1.demo.example.com').live();
    ended.unshift(() => live.close());
    await live.ready;
    await expect.poll(() => live.error).toMatchObject({ status: 403, reason: 'Forbidden' });
    expect(live.total).toBe(3);
  });
});

describe('the package', () => {
  const bundle = path.join(ROOT, 'dist/bundle/client.js');

  it('has a small client without any import', () => {
    const text = readFileSync(bundle, 'utf8');
    expect(text).not.toMatch(/\bimport\b|\brequire\(/);
    expect(statSync(bundle).size).toBeLessThan(BUNDLE_BYTES_MAX);
  });

  it('gives it to modules and to CommonJS', () => {
    const directory = temporaryDirectory();
    mkdirSync(path.join(directory, 'node_modules'));
    symlinkSync(ROOT, path.join(directory, 'node_modules/xsvc'));
    const says =
      "console.log(typeof createClient, new ApiError(404, { code: 'NotFound', message: 'a' }).reason);";
    const programs = [
      ['--input-type=module', `import { ApiError, createClient } from 'xsvc/client';${says}`],
      ['--input-type=commonjs', `const { ApiError, createClient } = require('xsvc/client');${says}`],
    ];
    for (const [type = '', program = ''] of programs) {
      const { stdout } = spawnSync(process.execPath, [type, '--eval', program], {
        cwd: directory,
        encoding: 'utf8',
      });
      expect(stdout, type).toBe('function NotFound\n');
    }
  });

  it('has types that fit those of `xsvc types`, in a browser and in Node.js', async () => {
    const directory = temporaryDirectory();
    mkdirSync(path.join(directory, 'node_modules'));
    symlinkSync(ROOT, path.join(directory, 'node_modules/xsvc'));
    const { stdout } = await runProgram(['types', '--plugins', EXAMPLE_PLUGINS, '--data-dir', directory]);
    const program = `
      import { ApiError, createClient } from 'xsvc/client';
      import type { ModelMap, Person } from './models.js';
      const client = createClient({ server: 'http://127.0.0.1:8090', token: 'x' });
      const persons = client.model<Person>('persons.demo.example.com');
      const packages = client.model<ModelMap['catalogue.example.com/v1alpha1/Package']>('packages.catalogue.example.com');
      export async function use(): Promise<void> {
        const ann = await persons.create({ metadata: { name: 'ann' }, spec: { name: 'Ann', gender: 'FEMALE' } });
        await persons.update({ ...ann, spec: { ...ann.spec, age: 31 } });
        await persons.apply(ann);
        const page = await persons.list({ sort: ['spec.age,desc'], limit: 2, facets: 'spec.age', aggregates: 'count' });
        const total: number = page.total;
        const most: number | undefined = page.facets?.['spec.age']?.[0]?.count ?? page.groups?.[0]?.count ?? total;
        const { included } = await persons.get('ann', { expand: 'spec.friend' });
        console.log(most, included?.['persons.demo.example.com']?.bob?.metadata.name);
        for await (const one of packages.listAll({ filter: 'spec.priority == "extra"' })) console.log(one.spec.packageName);
        for await (const event of persons.watch({ labelSelector: 'a=b' }))
          if (event.type === 'DELETED') console.log(event.object.spec.name);
          else if (event.type === 'BOOKMARK') console.log(event.object.metadata.resourceVersion);
        const live = persons.live({ page: 1, size: 20 });
        await live.ready;
        const name: string | undefined = live.items[0]?.spec.name;
        live.subscribe(() => console.log(name, live.error instanceof ApiError && live.error.details.causes?.[0]?.field));
        await client.batch([{ verb: 'create', object: ann }], { dryRun: true });
        // @ts-expect-error an age is a number
        await persons.create({ metadata: { name: 'ann' }, spec: { name: 'Ann', age: '31' } });
        // @ts-expect-error no such parameter
        await persons.list({ sorted: 'spec.age' });
        // @ts-expect-error parts have no pages
        persons.listAll({ page: 2 });
        // @ts-expect-error watches have no order
        persons.watch({ sort: 'spec.age' });
      }`;
    const options = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      exactOptionalPropertyTypes: true,
    };
    await putFiles(directory, {
      'models.d.ts': stdout,
      'main.ts': program,
      'package.json': '{"type": "module"}',
      'browser.json': JSON.stringify({
        compilerOptions: { ...options, types: [], lib: ['es2022', 'dom'] },
        files: ['main.ts'],
      }),
      'node.json': JSON.stringify({
        compilerOptions: {
          ...options,
          types: ['node'],
          typeRoots: [path.join(ROOT, 'node_modules/@types')],
          lib: ['es2023'],
          skipLibCheck: true,
        },
        files: ['main.ts'],
      }),
    });
    for (const project of ['browser.json', 'node.json']) {
      const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
      const checked = spawnSync(process.execPath, [tsc, '-p', project, '--preserveSymlinks'], {
        cwd: directory,
        encoding: 'utf8',
      });
      expect(checked.stdout, project).toBe('');
    }
  });
});
