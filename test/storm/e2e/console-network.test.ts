import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab } from '../../helpers/console.js';
import { freePort, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const LIST = '#/models/demo.example.com/v1alpha1/persons';
const HTML = '<html><script>window.broken=1</script><h1>502 Bad Gateway</h1></html>';
const AWAY = 'The service does not answer. The data shown may be outdated';

let daemon: DaemonProcess;
let directory = '';
let context: BrowserContext;
let page: Page;
let followed: Followed;

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/${hash}`);
}

/** Shows another page of the console, without a reload. */
function go(hash: string): Promise<void> {
  return page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

const isOf = (what: string) => (url: URL) => `${url.pathname}${url.search}`.includes(what);
let underWay = 0;
const delayed =
  (ms: number) =>
  async (route: Route): Promise<void> => {
    underWay += 1;
    await sleep(ms);
    // The page may have given up.
    await route.continue().catch(() => undefined);
    underWay -= 1;
  };
const heading = (name: string) => page.getByRole('heading', { name, exact: true });
const textbox = () => page.getByRole('textbox', { name: 'YAML' });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

async function put(name: string, spec: object): Promise<void> {
  await daemon.send('DELETE', `${PERSONS}/${name}`);
  expect((await daemon.send('POST', PERSONS, { body: person(name, spec) })).status).toBe(201);
}

const specOf = async (name: string): Promise<unknown> => (await daemon.get(`${PERSONS}/${name}`)).json().spec;

/** Opens the text of an object, and writes another age into it. */
async function edit(name: string, age: number): Promise<void> {
  await put(name, { age: 1 });
  await go(`${LIST}/${name}/yaml`);
  await expect.poll(() => textbox().textContent()).toContain(`name: ${name}`);
  await textbox().fill(`metadata:\n  name: ${name}\nspec:\n  name: Edited\n  age: ${age}\n`);
}

describe.skipIf(CHROMIUM === undefined)('the console behind a bad network', () => {
  beforeAll(async () => {
    directory = temporaryDirectory();
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), port: await freePort() });
    for (let i = 0; i < 5; i++) await put(`person-${i}`, { age: i });
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(followed.complaints).toEqual([]);
  });
  afterAll(() => closeAll(context, daemon));

  it('shows what was asked for last, though what was asked before is answered later', async () => {
    await open(`${LIST}?fieldSelector=spec.age%3D4`);
    await page.getByText(/^1 of [\d,]+$/).waitFor();
    await page.route(isOf('spec.age%3D1'), delayed(2_000));
    await page.route(isOf('/persons/person-1'), delayed(2_000));
    await go(`${LIST}?fieldSelector=spec.age%3D1`);
    await go(`${LIST}?fieldSelector=spec.age%3D2`);
    await page.getByRole('link', { name: 'person-2', exact: true }).waitFor();
    await go(`${LIST}/person-1`);
    await go(`${LIST}/person-2`);
    await heading('person-2').waitFor();
    await go(`${LIST}/person-1/history`);
    await go(`${LIST}/person-3`);
    await heading('person-3').waitFor();
    await expect.poll(() => underWay).toBe(0);
    // The last answers need time to arrive.
    await sleep(1_000);
    expect(await heading('person-1').count()).toBe(0);
    await expect.poll(() => page.getByRole('textbox', { name: 'Age', exact: true }).inputValue()).toBe('3');
  });

  it('goes to and fro while everything takes two seconds, and ends with what is asked for', async () => {
    await page.route(isOf('/apis/'), delayed(2_000));
    for (const hash of [
      '#/',
      LIST,
      `${LIST}/person-1`,
      '#/plugins',
      '#/access',
      `${LIST}/person-2/yaml`,
      LIST,
    ]) {
      await go(hash);
      await sleep(150);
    }
    await page.evaluate('history.go(-3)');
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/plugins');
    await heading('Plugins').waitFor();
    await page.evaluate('history.go(3)');
    await page.getByRole('link', { name: 'person-4', exact: true }).waitFor();
  });

  it.each([
    ['an error of a server in front', { status: 502, contentType: 'text/html', body: HTML }],
    [
      'an error of a server in front that wants to be asked later',
      { status: 503, contentType: 'text/html', body: HTML, headers: { 'retry-after': '1' } },
    ],
    ['a page in the place of an answer', { status: 200, contentType: 'text/html', body: HTML }],
    [
      'an answer that was cut off',
      { status: 200, contentType: 'application/json', body: '{"metadata":{"name":"person-1"},"spe' },
    ],
  ])(
    'says that the service does not answer when it gets %s, and goes on as soon as it does',
    async (_what, answer) => {
      await open('#/plugins');
      await heading('Plugins').waitFor();
      for (const what of ['/apis/', '/readyz'])
        await page.route(isOf(what), (route) =>
          route.fulfill({ ...answer, status: what === '/readyz' ? 502 : answer.status }),
        );
      await go(`${LIST}/person-1`);
      await page
        .getByText(/The service (does not answer|is not ready yet)/)
        .first()
        .waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await expect.poll(() => page.getByRole('textbox', { name: 'Age', exact: true }).inputValue()).toBe('1');
      await expect.poll(() => page.getByText(AWAY).count()).toBe(0);
    },
  );

  it('does not know the result of a request when a proxy has no answer, and loses nothing', async () => {
    await open('#/plugins');
    await edit('unsure', 7);
    await page.route(isOf('/persons/unsure'), (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 502, contentType: 'text/html', body: HTML })
        : route.continue(),
    );
    await press('Save');
    await page.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor();
    expect(await textbox().textContent()).toContain('age: 7');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await press('Save');
    await page.getByText('Saved.').waitFor();
    expect(await specOf('unsure')).toMatchObject({ age: 7 });
  });

  it('comes again when the service wants it to', async () => {
    await open('#/plugins');
    await heading('Plugins').waitFor();
    const asked: number[] = [];
    const status = {
      kind: 'Status',
      status: 'Failure',
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'indexes are built',
    };
    await page.route(isOf('/persons/person-4'), (route) => {
      asked.push(performance.now());
      return asked.length < 3
        ? route.fulfill({ status: 503, headers: { 'retry-after': '3' }, json: status })
        : route.continue();
    });
    await go(`${LIST}/person-4`);
    await expect.poll(() => page.getByRole('textbox', { name: 'Age', exact: true }).inputValue()).toBe('4');
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(2_500);
  });

  it('completes a save when another page is opened meanwhile', async () => {
    await open('#/plugins');
    await edit('left', 8);
    await page.route(isOf('/persons/left'), (route) =>
      route.request().method() === 'PUT' ? delayed(1_500)(route) : route.continue(),
    );
    await press('Save');
    await page.goBack();
    await heading('Plugins').waitFor();
    await page.goForward();
    await heading('left').waitFor();
    await expect.poll(() => specOf('left')).toMatchObject({ age: 8 });
    await expect.poll(() => textbox().textContent()).toContain('age: 8');
    await expect.poll(() => page.getByRole('button', { name: 'Discard changes' }).isEnabled()).toBe(false);
  });

  it('asks before a tab with unsaved text is closed, and not afterwards', async () => {
    const tab = await context.newPage();
    const asked: string[] = [];
    tab.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await put('unsaved', { age: 1 });
    await tab.goto(`${daemon.url}/console/${LIST}/unsaved/yaml`);
    const box = tab.getByRole('textbox', { name: 'YAML' });
    await expect.poll(() => box.textContent()).toContain('age: 1');
    await box.click();
    await tab.keyboard.type('#');
    await tab.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(tab.isClosed()).toBe(false);
    await tab.getByRole('button', { name: 'Discard changes' }).click();
    await tab.close({ runBeforeUnload: true });
    await expect.poll(() => tab.isClosed()).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it('shows a change in two tabs at once', async () => {
    const tab = await context.newPage();
    await put('twice', { age: 1 });
    for (const one of [page, tab]) {
      await one.goto(`${daemon.url}/console/${LIST}/twice`);
      await one.getByRole('group', { name: 'Form', exact: true }).waitFor();
    }
    await daemon.send('PATCH', `${PERSONS}/twice`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { age: 77 } },
    });
    for (const one of [page, tab])
      await expect.poll(() => one.getByRole('textbox', { name: 'Age', exact: true }).inputValue()).toBe('77');
    await tab.close();
  });

  it('shows another store that takes the place of this one', async () => {
    await open(LIST);
    await page.getByRole('link', { name: 'person-4', exact: true }).waitFor();
    const tabs = [page, await context.newPage(), await context.newPage()] as const;
    await tabs[1].goto(`${daemon.url}/console/#/`);
    await tabs[1].getByRole('region', { name: 'Recent changes' }).getByText('twice').waitFor();
    await tabs[2].goto(`${daemon.url}/console/${LIST}/person-4`);
    await tabs[2].getByRole('group', { name: 'Form', exact: true }).waitFor();
    const { port } = daemon;
    await daemon.stop();
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'other'), port });
    await put('newcomer', {});
    const total = Number((await daemon.get(`${PERSONS}?limit=1`)).json().total);
    await page.getByText(`${total} total`).waitFor();
    await page.getByRole('link', { name: 'newcomer', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'person-4', exact: true }).count()).toBe(0);
    const recent = tabs[1].getByRole('region', { name: 'Recent changes' });
    await recent.getByText('newcomer').waitFor();
    expect(await recent.getByText('twice').count()).toBe(0);
    await tabs[2].getByText('This object was deleted.').waitFor();
    for (const tab of tabs.slice(1)) await tab.close();
  });
});
