import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const MODELS = ['Ant', 'Bee', 'Cow', 'Dog', 'Eel'];
const COUNT = 10_000;
const PROGRAM = new URL('../../../bin/xsvc.js', import.meta.url).pathname;
const KILLS = 12;
/** About as long as the whole command takes. */
const KILLED_AFTER_MS = 2_500;

const PLUGIN = `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
const model = (kind) => {
  const Model = class extends AbstractExtension {
    static schema = {
      type: 'object',
      properties: { spec: { type: 'object', required: ['legs'], properties: { legs: { type: 'integer', minimum: 0 } } } },
    };
  };
  const singular = kind.toLowerCase();
  GVK({ group: 'zoo.example.com', version: 'v1', kind, plural: singular + 's', singular })(Model);
  return Model;
};
export default class Zoo extends BasePlugin {
  start() {
    for (const kind of ${JSON.stringify(MODELS)}) this.ctx.schemeManager.register(model(kind));
  }
}
`;

let plugins = '';
let daemon: DaemonProcess;

beforeAll(async () => {
  const directory = temporaryDirectory();
  plugins = path.join(directory, 'plugins');
  await putFiles(path.join(plugins, 'zoo'), {
    'plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: zoo }\nspec: { version: 1.0.0 }\n',
    'index.js': PLUGIN,
  });
  daemon = await startDaemonProcess({ dataDir: path.join(directory, 'store'), plugins: [plugins] });
});

afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

/** The manifests of so many animals, the models in turn. The last one has so many legs. */
function zoo(count: number, lastLegs: number): string {
  const documents = Array.from({ length: count }, (_, i) => {
    const legs = i === count - 1 ? lastLegs : i;
    const kind = MODELS[i % MODELS.length] ?? '';
    return `apiVersion: zoo.example.com/v1\nkind: ${kind}\nmetadata: { name: n${i} }\nspec: { legs: ${legs} }\n`;
  });
  return documents.join('---\n');
}

async function total(flags: readonly string[], cwd: string): Promise<number> {
  let sum = 0;
  for (const model of MODELS) {
    const { out } = await runCli(['get', model, '-o', 'json', '--size', '1', ...flags], { cwd });
    const { total: found } = JSON.parse(out) as { total: number };
    sum += found;
  }
  return sum;
}

describe('applying ten thousand objects of five models', () => {
  it('writes all of them in one commit, or none when the last is at fault', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'bad.yaml': zoo(COUNT, -1), 'good.yaml': zoo(COUNT, 4) });
    const flags = ['--data-dir', path.join(cwd, 'store'), '--plugins', plugins];
    const bad = await runCli(['apply', '-f', 'bad.yaml', ...flags], { cwd });
    expect(bad.code).toBe(5);
    expect(bad.out).toBe('');
    expect(bad.err).toMatch(
      /^error: bad\.yaml:\d+: spec\.legs .*\nnothing was written: all objects are written in one commit\n$/,
    );
    expect(await total(flags, cwd)).toBe(0);

    const good = await runCli(['apply', '-f', 'good.yaml', ...flags], { cwd });
    expect(good.code).toBe(0);
    expect(good.out.split('\n')).toHaveLength(COUNT + 1);
    const list = JSON.parse((await runCli(['get', 'ants', '-o', 'json', ...flags], { cwd })).out) as {
      items: { metadata: { resourceVersion: string } }[];
    };
    const revisions = list.items.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(new Set(revisions).size).toBe(revisions.length);
    expect(Math.max(...revisions) - Math.min(...revisions)).toBeLessThan(COUNT);
    expect(await total(flags, cwd)).toBe(COUNT);
  });

  it('gets an error when one commit cannot have so many, and can be written one by one', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'many.yaml': zoo(COUNT + 1, 4) });
    const apply = (file: string, ...more: string[]): Promise<CliResult> =>
      runCli(['apply', '-f', file, '--server', daemon.url, ...more], { cwd });
    expect(await apply('many.yaml')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/at most 10000 objects, got 10001; .*--no-atomic/) as string,
    });
    expect(await total(['--server', daemon.url], cwd)).toBe(0);
    expect(await apply('many.yaml', '--no-atomic')).toMatchObject({ code: 0, err: '' });
    expect(await total(['--server', daemon.url], cwd)).toBe(COUNT + 1);
  });

  it('leaves nothing half done when it is killed', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'good.yaml': zoo(COUNT, 4) });
    const random = new Random(seedOfRun());
    console.log(`SEED=${random.seed}`);
    const outcomes: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const flags = ['--data-dir', path.join(cwd, `store-${kill}`), '--plugins', plugins];
      // A store that knows the models, so that a look at it is no failure.
      expect(await runCli(['apply', '-f', '-', ...flags], { cwd, stdin: zoo(1, 1) })).toMatchObject({
        code: 0,
      });
      const child = spawn(process.execPath, [PROGRAM, 'apply', '-f', 'good.yaml', ...flags], { cwd });
      const ended = once(child, 'close');
      await sleep(random.below(KILLED_AFTER_MS));
      child.kill('SIGKILL');
      await ended;
      outcomes.push(await total(flags, cwd));
      expect(await runCli(['check', ...flags], { cwd })).toMatchObject({ code: 0 });
    }
    console.log(`objects after each kill: ${outcomes.join(', ')}`);
    expect(outcomes.filter((count) => count !== 1 && count !== COUNT)).toEqual([]);
  });
});
