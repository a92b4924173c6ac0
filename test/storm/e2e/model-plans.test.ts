import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.js';
import type { PlanSource } from '../../../src/daemon/plan-source.js';
import { putFiles, runCli } from '../../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { BEFORE, putDesk, RENAMED, SECOND, tickets } from '../../helpers/desk.js';
import type { HttpAnswer } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PLANS = '/apis/api.platform.run/v1alpha1/modelplans';
const VERSIONS = '/apis/api.platform.run/v1alpha1/storedversions?resource=tickets.desk.example.com';
const TICKETS = 12;
const BUILT = new URL('../../../dist/daemon/plan-source.js', import.meta.url).href;

let cwd: string;
let dataDir: string;
let plugins: string;
let daemon: DaemonProcess;

/** Puts code behind that of the plugin as it is on disk, which only the next start would run. */
async function addToDesk(code: string): Promise<void> {
  await putDesk(cwd, BEFORE);
  const main = path.join(cwd, 'plugins/desk/index.js');
  await putFiles(cwd, { 'plugins/desk/index.js': `${readFileSync(main, 'utf8')}\n${code}\n` });
}

/** Makes the process that loads the plugin write its pid. @returns reads the pid, once it was written */
async function addPid(code: string): Promise<() => number> {
  const file = path.join(temporaryDirectory(), 'pid');
  await addToDesk(
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(file)}, String(process.pid)); ${code}`,
  );
  return () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const plan = (body?: object): Promise<HttpAnswer> =>
  daemon.send('POST', PLANS, body === undefined ? {} : { body });

const start = (): Promise<DaemonProcess> => startDaemonProcess({ dataDir, plugins: [plugins] });

/** A plan that is not waited for. @returns ends the request */
function planInVain(): () => void {
  const sent = request(`${daemon.url}${PLANS}`, { method: 'POST' });
  sent.on('error', () => undefined);
  sent.end();
  return () => sent.destroy();
}

describe('a plan that a daemon makes', () => {
  beforeAll(async () => {
    cwd = temporaryDirectory();
    [dataDir, plugins] = [path.join(cwd, 'data'), path.join(cwd, 'plugins')];
    await putDesk(cwd, BEFORE);
    const manifest = tickets(TICKETS, (i) => ({ subject: `s${i}`, channel: i % 3 === 0 ? 'fax' : 'mail' }));
    await putFiles(cwd, { 'tickets.ndjson': manifest });
    const flags = ['--data-dir', dataDir, '--plugins', plugins];
    expect(await runCli(['import', '-f', 'tickets.ndjson', ...flags], { cwd })).toMatchObject({ err: '' });
    daemon = await start();
  });
  beforeEach(() => putDesk(cwd, BEFORE));
  afterAll(async () => {
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });

  it('is that of `xsvc model plan`, of the plugins as they are on disk', async () => {
    const cli = async (): Promise<unknown> => {
      const flags = ['-o', 'json', '--data-dir', dataDir, '--plugins', plugins];
      return JSON.parse((await runCli(['model', 'plan', ...flags], { cwd })).out);
    };
    const unchanged = await plan();
    expect([unchanged.status, unchanged.json()]).toEqual([200, await cli()]);
    expect(unchanged.json()).toMatchObject({ kind: 'ModelPlan', result: 'unchanged', failures: [] });
    await putDesk(cwd, RENAMED);
    const renamed = (await plan({ plugins: ['desk'] })).json();
    expect(renamed).toEqual(await cli());
    expect(renamed).toMatchObject({
      result: 'refused',
      models: [{ plural: 'tickets', objects: TICKETS, problems: [{ kind: 'unfit', count: TICKETS / 3 }] }],
    });
    await putDesk(cwd, { ...RENAMED, spec: { ...SECOND, properties: { title: { type: 'string' } } } });
    expect((await plan()).json()).toMatchObject({ result: 'fits', models: [{ problems: [] }] });
    // Nothing was written: neither the models nor what is stored.
    expect((await daemon.get(VERSIONS)).json().items).toEqual([{ version: 'v1alpha1', objects: TICKETS }]);
  });

  it('names a plugin that is not there', async () => {
    const answer = await plan({ plugins: ['desc'] });
    expect([answer.status, answer.json().message]).toEqual([
      404,
      'no plugin is named "desc": installed are desk, did you mean "desk"?',
    ]);
  });

  it('tells of plugins that throw while they are loaded, and is whole when they print', async () => {
    await addToDesk("console.log('{'); process.stdout.write('}}}'); throw new Error('not today');");
    expect((await plan()).json()).toMatchObject({
      result: 'refused',
      failures: [{ plugin: 'desk', message: 'Cannot load the main module: not today' }],
    });
  });

  it('is made in spite of what a plugin throws where nobody catches it, and of what it sends', async () => {
    const stray = "setImmediate(() => { throw new Error('stray'); });";
    await addToDesk(`process.send('ready'); ${stray} await new Promise((go) => setTimeout(go, 200));`);
    expect((await plan()).json()).toMatchObject({ result: 'unchanged' });
  });

  it('is not made when a plugin ends its process, and the plugin is named', async () => {
    await addToDesk('process.exit(0);');
    const answer = await plan();
    expect([answer.status, answer.json().message]).toEqual([
      503,
      'planning failed: its process ended with 0, perhaps because of plugin code; its last output: Plugin "desk" starts',
    ]);
  });

  it('is not sent when it is too long', async () => {
    await addToDesk("throw new Error('x'.repeat(17 * 1024 * 1024));");
    const answer = await plan();
    expect([answer.status, answer.json().message]).toEqual([
      503,
      expect.stringContaining('the plan is longer than 16 MiB'),
    ]);
  });

  it('is given up, with its process, when the client goes away; until then there is no other', async () => {
    const pid = await addPid('for (;;);');
    const leave = planInVain();
    await expect.poll(pid).toBeGreaterThan(0);
    const second = await plan();
    expect([second.status, second.headers['retry-after'], second.json().message]).toEqual([
      429,
      '5',
      'another plan is being computed; try again when it is done',
    ]);
    expect(isRunning(pid())).toBe(true);
    leave();
    await expect.poll(() => isRunning(pid())).toBe(false);
    await putDesk(cwd, BEFORE);
    expect((await plan()).status).toBe(200);
  });

  it('is given up after a time when code of a plugin holds up its process, and the plugin is named', async () => {
    const pid = await addPid('for (;;);');
    const module = (await import(BUILT)) as { PlanSource: typeof PlanSource };
    const config = readConfig({ flags: { dataDir, plugins: [plugins] }, env: {}, cwd });
    const source = new module.PlanSource(config, 20_000);
    await expect(source.make([], new AbortController().signal)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: 'planning timed out after 20 s in plugin code; its last output: Plugin "desk" starts',
    });
    await expect.poll(() => isRunning(pid())).toBe(false);
    await putDesk(cwd, BEFORE);
    expect(await source.make([], new AbortController().signal)).toMatchObject({ result: 'unchanged' });
  });

  it('ends when the service stops, which does not wait for it', async () => {
    const pid = await addPid('for (;;);');
    const answer = plan();
    await expect.poll(pid).toBeGreaterThan(0);
    const from = performance.now();
    const stopped = daemon.stop();
    expect((await answer).json().message).toBe('the service is stopping; planning was cancelled');
    expect((await stopped).code).toBe(0);
    expect(performance.now() - from).toBeLessThan(8_000);
    await expect.poll(() => isRunning(pid())).toBe(false);
    await putDesk(cwd, BEFORE);
    daemon = await start();
  });

  it.each([
    { what: 'waits', code: 'await new Promise(() => {});' },
    { what: 'lets nothing else run', code: 'for (;;);' },
  ])('ends with a service that is killed while code of a plugin $what', async ({ code }) => {
    const pid = await addPid(code);
    planInVain();
    await expect.poll(pid).toBeGreaterThan(0);
    daemon.signal('SIGKILL');
    await expect.poll(() => isRunning(pid())).toBe(false);
    await putDesk(cwd, BEFORE);
    daemon = await start();
  });
});
