import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { putFiles, runCli } from '../../helpers/cli.js';
import { closeAll, openTab, signOut } from '../../helpers/console.js';
import { freePort, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { BEFORE, putDesk, RENAMED, SECOND, tickets, type DeskOptions } from '../../helpers/desk.js';
import { temporaryDirectory } from '../../helpers/store.js';

const ACCESS = '/apis/access.platform.run/v1alpha1';
const TICKETS = 36;
/** All tickets fit it. */
const LOOSER: DeskOptions = { ...RENAMED, spec: { ...SECOND, properties: { title: { type: 'string' } } } };
/** One ticket cannot be brought up. */
const TORN: DeskOptions = {
  ...LOOSER,
  options: RENAMED.options
    .replace(
      '({ spec: {',
      "({ spec }) => { if (spec.subject === 's1') throw new Error('torn'); return (({ spec: {",
    )
    .replace('...rest } }),\n    down', '...rest } }))({ spec }); },\n    down'),
};

let cwd: string;
let daemon: DaemonProcess;
let port: number;
let admin = '';
let context: BrowserContext;
let page: Page;
let followed: Followed;

const start = (): Promise<DaemonProcess> =>
  startDaemonProcess({
    dataDir: path.join(cwd, 'data'),
    plugins: [path.join(cwd, 'plugins')],
    port,
    flags: ['--auth', 'token'],
  });

async function asAdmin(method: string, target: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${admin}` };
  const { status, text } = await daemon.send(method, target, { headers, ...(body && { body }) });
  expect(status, text).toBe(201);
}

async function signIn(token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^User / }).waitFor();
}

const section = (): Locator => page.getByRole('region', { name: 'Preview of a restart', exact: true });
const find = (): Locator => section().getByRole('button', { name: 'Preview' });
const row = (): Locator => page.getByRole('row', { name: /^tickets/ });
const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
const versions = (): Promise<string | null> => row().getByRole('cell').nth(2).textContent();

/** Has the code of the plugin as it is on disk do something before all else. */
async function beginDesk(code: string): Promise<void> {
  await putDesk(cwd, BEFORE);
  const main = path.join(cwd, 'plugins/desk/index.js');
  await putFiles(cwd, { 'plugins/desk/index.js': `${readFileSync(main, 'utf8')}\n${code}\n` });
}

describe.skipIf(CHROMIUM === undefined)('models in the console', () => {
  beforeAll(async () => {
    cwd = temporaryDirectory();
    port = await freePort();
    await putDesk(cwd, BEFORE);
    const manifest = tickets(TICKETS, (i) => ({ subject: `s${i}`, channel: i % 3 === 0 ? 'fax' : 'mail' }));
    await putFiles(cwd, { 'tickets.ndjson': manifest });
    const flags = ['--data-dir', path.join(cwd, 'data'), '--plugins', path.join(cwd, 'plugins')];
    expect(await runCli(['import', '-f', 'tickets.ndjson', ...flags], { cwd })).toMatchObject({ err: '' });
    daemon = await start();
    admin = /shown only now: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
    ({ context, page, followed } = await openTab());
    await page.goto(`${daemon.url}/console/#/models`);
    await signIn(admin);
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('say how many objects are stored in each version', async () => {
    await expect.poll(versions).toBe('v1alpha1stored36 objects stored');
  });

  it('say that a restart has nothing to do as long as no file changed', async () => {
    await find().click();
    await section().getByText('Nothing to do.').waitFor();
    expect(await focused()).toBe('Preview');
  });

  it('say what changed files would do, and which objects would be invalid', async () => {
    await putDesk(cwd, RENAMED);
    await find().click();
    await section().getByText('A plugin would not start, or objects would be invalid.').waitFor();
    const reported = await section().textContent();
    expect(reported).toContain('desk.example.com · plugin desk · 36 objects');
    expect(reported).toContain('12 objects would be invalid');
    expect(reported).toContain('storage version changes from v1alpha1');
    expect(reported).toContain('and 2 more');
    expect(await lookAt(page, 'console-models-plan')).toEqual([]);
    await section().getByRole('link', { name: 't-0', exact: true }).click();
    await page.getByRole('heading', { name: 't-0' }).waitFor();
    await page.goBack();
  });

  it('say which plugin would not start, and why', async () => {
    await beginDesk("throw new Error('<b>not today</b>');");
    await find().click();
    await section().getByText('would not start: Cannot load the main module: <b>not today</b>').waitFor();
    expect(await section().getByRole('link', { name: 'desk', exact: true }).count()).toBe(1);
  });

  it('say that it takes a while, and cancel it on request', async () => {
    const file = path.join(cwd, 'pid');
    await beginDesk(
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(file)}, String(process.pid)); for (;;);`,
    );
    await find().click();
    await section().getByRole('status').getByText('Loading plugins and checking objects…').waitFor();
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true);
    const pid = Number(readFileSync(file, 'utf8'));
    expect(await lookAt(page, 'console-models-planning')).toEqual([]);
    await section().getByRole('button', { name: 'Cancel' }).click();
    await find().waitFor();
    expect(await focused()).toBe('Preview');
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    expect(await section().getByRole('alert').count()).toBe(0);
  });

  it('say why there is no plan', async () => {
    await beginDesk('process.exit(3);');
    await find().click();
    await section().getByRole('alert').getByText('ended with 3, perhaps because of plugin code').waitFor();
  });

  it('say after the restart in which versions objects are stored, and that they are being rewritten', async () => {
    await putDesk(cwd, LOOSER);
    await find().click();
    await section().getByText('1 model would change; all objects are valid.').waitFor();
    await putDesk(cwd, TORN);
    await daemon.stop();
    daemon = await start();
    await expect.poll(versions).toContain('v1stored35 objects stored');
    expect(await versions()).toContain('v1alpha11 object stored');
    expect(await versions()).toContain('Being rewritten to the stored version.');
    expect(await lookAt(page, 'console-models-versions')).toEqual([]);
  });

  it('offer no plan to users who may not create one, and no counts of objects that they may not list', async () => {
    const rules = [
      { apiGroups: ['desk.example.com'], resources: ['tickets'], verbs: ['get'] },
      { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] },
    ];
    await asAdmin('POST', `${ACCESS}/roles`, { metadata: { name: 'reader' }, rules });
    const flags = ['--data-dir', path.join(cwd, 'data'), '--user', 'rita', '--role', 'reader'];
    const made = await runCli(['token', 'create', ...flags], { cwd });
    await signOut(page);
    await signIn(/xsvc_\S+/.exec(made.out)?.[0] ?? '');
    await section().getByText('This needs the right to create modelplans').waitFor();
    expect(await section().getByRole('button').count()).toBe(0);
    expect(await versions()).toBe('v1storedv1alpha1');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    // It would be asked for again by then.
    await page.waitForTimeout(16_000);
    expect(asked.filter((url) => url.includes('storedversions'))).toEqual([]);
    expect(followed.complaints).toEqual([]);
  });
});
