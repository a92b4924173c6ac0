import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const BUNDLE = new URL('../../dist/bundle/', import.meta.url);
const files = readdirSync(BUNDLE).filter((file) => file.endsWith('.js'));
const matches = (pattern: RegExp): (string | undefined)[] =>
  files.flatMap((file) =>
    [...readFileSync(new URL(file, BUNDLE), 'utf8').matchAll(pattern)].map(([, found]) => found),
  );

it('the program is a few files, which import none of those that `xsvc` is for others', () => {
  expect(files).toContain('main.js');
  const imported = matches(/(?:^import|^export|\} from|import\()[ (]?["'](\.[^"'$]+)["']/gm);
  expect(imported.length).toBeGreaterThan(files.length);
  expect(imported.filter((name) => !/^\.\/[\w-]+\.js$/.test(String(name)))).toEqual([]);
});

it('modules of the bundle look for files where they were compiled to, and for threads and processes in the bundle', () => {
  const places = matches(/new URL\("([^"]+)", bundlePlace\)/g);
  expect(places).toContain('../daemon/app.js');
  expect(places.filter((place) => !existsSync(new URL(String(place), BUNDLE)))).toEqual([]);
  const started = matches(/new URL\(["']([^"']+)["'], (?:bundlePlace|modulePlace)\)/g);
  const below = started.filter((file) => !String(file).startsWith('../'));
  expect(below.sort()).toEqual([
    'backup-process.js',
    'conversion-worker.js',
    'plan-process.js',
    'read-ahead-worker.js',
    'watchdog-thread.js',
  ]);
});

it('a class is one class in `xsvc` and `xsvc/testing`', () => {
  const script = `
    import { AbstractExtension, GVK, ServiceError } from 'xsvc';
    import { startTestService } from 'xsvc/testing';
    class Note extends AbstractExtension {}
    GVK({ group: 'a.example.com', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })(Note);
    const service = await startTestService({ models: [Note] });
    const error = await service.client.get(Note, 'none').catch((error) => error);
    console.log(error instanceof ServiceError, error.code);
    await service.close();
  `;
  const args = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toBe('true NotFound\n');
});
