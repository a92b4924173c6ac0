import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles } from '../../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const ROOT = new URL('../../..', import.meta.url).pathname;
const ENV = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1' };

interface PackageManifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}
const MANIFEST = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as PackageManifest;

/** The package that `npm pack` makes, unpacked. */
let unpacked = '';

beforeAll(() => {
  const directory = temporaryDirectory();
  // Without scripts: the build that all tests use must stay.
  const flags = ['pack', '--ignore-scripts', '--pack-destination', directory];
  execFileSync('npm', flags, { cwd: ROOT, env: ENV, stdio: ['ignore', 'ignore', 'pipe'] });
  const [archive = ''] = readdirSync(directory);
  execFileSync('tar', ['-xzf', path.join(directory, archive), '-C', directory]);
  unpacked = path.join(directory, 'package');
});
afterAll(removeDirectories);

/** Installs the package below a directory as npm lays it out: a copy, and beside it what it depends on, nothing else. */
function install(directory: string): void {
  const modules = path.join(directory, 'node_modules');
  mkdirSync(modules, { recursive: true });
  execFileSync('cp', ['-r', unpacked, path.join(modules, 'xsvc')]);
  const names = [...Object.keys(MANIFEST.dependencies), '@types/node'];
  for (const name of names) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name));
  }
  mkdirSync(path.join(modules, '.bin'));
  symlinkSync('../xsvc/bin/xsvc.js', path.join(modules, '.bin/xsvc'));
}

/** Adds what else `npm install` brings to a project or a plugin. */
function installVitest(directory: string): void {
  const modules = path.join(directory, 'node_modules');
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules/vitest'), path.join(modules, 'vitest'));
  symlinkSync('../vitest/vitest.mjs', path.join(modules, '.bin/vitest'));
}

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a program in a project, with its commands on the PATH. */
function run(cwd: string, command: string, ...args: readonly string[]): Ended {
  const bin = [path.join(cwd, 'node_modules/.bin'), ENV.PATH].join(path.delimiter);
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...ENV, PATH: bin },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const typecheck = (cwd: string, ...flags: readonly string[]): Ended =>
  run(cwd, process.execPath, TSC, '--noEmit', ...flags);

describe('the package', () => {
  it('has what users need, and nothing of how it is made', () => {
    const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
    for (const needed of [
      'bin/xsvc.js',
      'dist/bundle/client.js',
      'dist/bundle/index.js',
      'dist/types/client.d.ts',
      'dist/types/index.d.ts',
      'dist/types/testing.d.ts',
      'dist/console/index.html',
      'dist/console/licenses.txt',
      'dist/swagger-ui/swagger-ui-bundle.js',
      'docs/README.md',
      'plugins/bookmark/index.js',
      'plugins/catalogue/index.ts',
      'plugins/person/plugin.yaml',
      'plugins/person/test/person.test.js',
      'templates/plugin/common/plugin.yaml',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
    ])
      expect(files).toContain(needed);
    expect(files.filter((file) => /^(src|test|\.ci)\b|tsbuildinfo|\.map$|(?<!\.d)\.ts$/.test(file))).toEqual(
      files.filter((file) => /^(plugins\/\w+|templates\/plugin\/typescript)\/[^/]+\.ts$/.test(file)),
    );
  });

  it('is at most 400 files and 9 MB', () => {
    const sizes = readdirSync(unpacked, { recursive: true, encoding: 'utf8' })
      .map((file) => statSync(path.join(unpacked, file)))
      .filter((entry) => entry.isFile())
      .map(({ size }) => size);
    expect(sizes.length).toBeLessThanOrEqual(400);
    expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThanOrEqual(9_000_000);
  });

  it('asks npm to run no script of ours when it is installed', () => {
    const names = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(names.filter((name) => name in MANIFEST.scripts)).toEqual([]);
  });

  it('cites in its types only files that it has', () => {
    const dist = path.join(unpacked, 'dist');
    const types = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.d.ts'),
    );
    const cited = types.flatMap((file) =>
      [...readFileSync(path.join(dist, file), 'utf8').matchAll(/\b[\w./-]+\.(?:md|ya?ml|mjs|ts)\b/g)]
        .map(([name]) => name)
        .filter((name) => name.includes('/') && !name.startsWith('.'))
        .map((name) => `${file}: ${name}`),
    );
    expect(cited.filter((line) => !existsSync(path.join(unpacked, line.split(': ')[1] ?? '')))).toEqual([]);
    expect(cited).not.toEqual([]);
  });

  it('runs as a command that is installed for all users', () => {
    const prefix = temporaryDirectory();
    install(path.join(prefix, 'lib'));
    mkdirSync(path.join(prefix, 'bin'));
    symlinkSync('../lib/node_modules/xsvc/bin/xsvc.js', path.join(prefix, 'bin/xsvc'));
    const cwd = temporaryDirectory();
    expect(run(cwd, path.join(prefix, 'bin/xsvc'), 'plugin', 'init', 'note')).toMatchObject({ status: 0 });
    const plugin = path.join(cwd, 'plugins/note');
    expect(typecheck(plugin)).toEqual({ status: 0, output: '' });
    installVitest(plugin);
    expect(run(plugin, 'npm', 'test').output).toMatch(/Tests +4 passed \(4\)/);
  });
});

describe('a project of one\u2019s own', () => {
  let project = '';
  beforeAll(() => {
    project = temporaryDirectory();
    install(project);
    installVitest(project);
    expect(run(project, 'xsvc', 'init', '--example').output).toMatch(/^package\.json created$/m);
    expect(run(project, 'xsvc', 'plugin', 'init', 'note').status).toBe(0);
    expect(run(project, 'xsvc', 'plugin', 'init', 'memo', '--js').status).toBe(0);
  });

  it('has no fault for an editor, the plugins each for themselves neither', () => {
    expect(typecheck(project, '--skipLibCheck', 'false')).toEqual({ status: 0, output: '' });
    expect(typecheck(path.join(project, 'plugins/note'))).toEqual({ status: 0, output: '' });
    // One that lies elsewhere would need nothing but the package.
    expect(existsSync(path.join(project, 'plugins/note/node_modules'))).toBe(false);
  });

  it('passes the tests of its plugins', () => {
    const { status, output } = run(project, 'npm', 'test');
    expect(output).toMatch(/Tests +11 passed \(11\)/);
    expect(status).toBe(0);
  });

  it('serves its plugins', async () => {
    const child = spawn('node_modules/.bin/xsvc', ['serve', '--port', '0'], { cwd: project, env: ENV });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (part) => {
          text += String(part);
          const found = /listening on (\S+)\n/.exec(text)?.[1];
          if (found !== undefined) resolve(found);
        });
        child.once('close', () => reject(new Error(`it ended: ${text}`)));
      });
      expect(run(project, 'xsvc', 'get', 'persons', '-o', 'name', '--server', url).output).toBe(
        'persons/ada\npersons/bert\npersons/cleo\n',
      );
      const target = '/apis/api.note.example.com/v1alpha1/notes/example-note/summary';
      expect((await fetch(url + target)).status).toBe(200);
      expect((await fetch(`${url}/swagger-ui/swagger-ui-bundle.js`)).status).toBe(200);
    } finally {
      child.kill();
      await ended;
    }
  });

  it('gets errors of the compiler for an object that does not fit its model', async () => {
    await putFiles(project, {
      'types/create.ts': `import type { ExtensionClient, Router } from 'xsvc';
import { startTestService } from 'xsvc/testing';
import { Person } from '../plugins/person/person.js';

export async function create(client: ExtensionClient, router: Router): Promise<void> {
  const made: Person = await client.create(Person, { metadata: { name: 'a' }, spec: { name: 'A' } });
  made.spec.age = 3;
  await client.create(Person, { metadata: { generateName: 'a-', labels: { 'a.example/b': 'c' } }, spec: made.spec });
  const other = await client.create({ group: 'g', version: 'v', kind: 'K' }, { metadata: { name: 'a' }, spec: { x: 1 } });
  other.metadata.resourceVersion.slice(1);
  // @ts-expect-error no spec
  await client.create(Person, { metadata: { name: 'a' } });
  // @ts-expect-error a spec of another shape
  await client.create(Person, { metadata: { name: 'a' }, spec: { name: 3 } });
  // @ts-expect-error a field that the model does not have
  await client.create(Person, { metadata: { name: 'a' }, spec: { name: 'A', agee: 3 } });
  // @ts-expect-error neither name nor generateName
  await client.create(Person, { metadata: {}, spec: { name: 'A' } });
  // @ts-expect-error what the service sets
  await client.create(Person, { metadata: { name: 'a', uid: 'x' }, spec: { name: 'A' } });
  // @ts-expect-error routers are those of Express, with their types
  router.gett('/x');
  await using service = await startTestService({ models: [Person] });
  const answer: globalThis.Response = await service.fetch('/version');
  await answer.json();
  // @ts-expect-error a path and what it is asked with
  await service.fetch(3);
}
`,
    });
    const flags = ['--module', 'nodenext', '--target', 'esnext', '--strict', '--ignoreConfig'];
    expect(typecheck(project, ...flags, 'types/create.ts')).toEqual({ status: 0, output: '' });
  });
});
