import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../helpers/daemon.js';
import { PERSONS } from '../helpers/http.js';
import { type OtherNode, otherNode } from '../helpers/node-versions.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { openStream } from '../helpers/watching.js';

/** The oldest that the package takes, and the newest of each line that is cared for. */
const RANGES = ['20.19', '22', '24', '26'].filter((range) => !process.versions.node.startsWith(`${range}.`));
const NODES = await Promise.all(RANGES.map(otherNode));

const PLUGINS = ['--plugins', EXAMPLE_PLUGINS];
const GRACE = `apiVersion: demo.example.com/v1alpha1
kind: Person
metadata: { name: grace, labels: { demo.example.com/team: blue } }
spec: { name: Grace Example, age: 37 }
`;

afterAll(killDaemons);
afterAll(removeDirectories);

describe.each(NODES.filter(({ program }) => program !== undefined))('on Node.js $range', (node) => {
  const [directory, dataDir] = [temporaryDirectory(), path.join(temporaryDirectory(), 'data')];
  const file = path.join(directory, 'grace.yaml');
  let daemon: DaemonProcess;
  beforeAll(async () => {
    writeFileSync(file, GRACE);
    daemon = await startDaemonProcess({ ...programOf(node), dataDir, flags: ['--workers', '2'] });
  });

  /** Runs a command that must succeed, without a warning of Node.js. */
  async function command(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram(args, programOf(node));
    expect([code, stderr], stderr).toEqual([0, expect.not.stringContaining('Warning')]);
    return stdout;
  }

  it('serves models, objects and controllers of plugins in TypeScript', async () => {
    const { text } = await daemon.get('/readyz?verbose');
    expect(text).toContain('readyz check passed');
    expect((await daemon.get(`${PERSONS}/ada`)).json().spec).toMatchObject({ name: 'Ada Example' });
    const controllers = await command('controllers', '--server', daemon.url);
    expect(controllers).toContain('running');
  });

  it('applies files on a server and on the store, lists by a label, and tells a watch', async () => {
    const watch = await openStream(
      `${daemon.url}${PERSONS}?watch=true&labelSelector=demo.example.com/team=blue`,
    );
    await command('apply', '-f', file, '--server', daemon.url);
    writeFileSync(file, GRACE.replace('age: 37', 'age: 38'));
    await command('apply', '-f', file, '--data-dir', dataDir, ...PLUGINS);
    const blue = await command(
      'get',
      'persons',
      '-l',
      'demo.example.com/team=blue',
      '-o',
      'name',
      '--server',
      daemon.url,
    );
    expect(blue.split('\n')).toContain('persons/grace');
    await expect
      .poll(() => watch.events().filter(({ object }) => object.metadata.name === 'grace'))
      .toMatchObject([{ type: 'ADDED' }, { type: 'MODIFIED', object: { spec: { age: 38 } } }]);
    watch.destroy();
  });

  it('serves the console with all that its page loads', async () => {
    const { status, text } = await daemon.get('/console/');
    expect(status).toBe(200);
    const files = [...text.matchAll(/(?:src|href)="([\w-]+\.(?:js|css))"/g)].map(([, name = '']) => name);
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) expect((await daemon.get(`/console/${name}`)).status, name).toBe(200);
  });

  it('backs up, restores, and finds both stores sound', async () => {
    const [backup, restored] = [path.join(directory, 'backup'), path.join(directory, 'restored')];
    await command('backup', backup, '--server', daemon.url);
    await command('restore', backup, '--data-dir', restored);
    for (const [flag, place] of [
      ['--server', daemon.url],
      ['--data-dir', dataDir],
      ['--data-dir', restored],
    ] as const)
      expect(await command('check', flag, place, ...PLUGINS)).toBe('');
    expect(await command('get', 'person', 'grace', '-o', 'name', '--data-dir', restored, ...PLUGINS)).toBe(
      'persons/grace\n',
    );
  });

  it('ends in order, and Node.js had nothing to say', async () => {
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    expect(daemon.output.stderr).not.toMatch(/^\(/m);
  });
});

const MISSING = NODES.filter(({ program }) => program === undefined);
if (MISSING.length > 0)
  it.skip.each(MISSING)('on Node.js $range, which is not to be had: $problem', () => undefined);

function programOf({ program }: OtherNode): { readonly node?: string } {
  return program === undefined ? {} : { node: program };
}
