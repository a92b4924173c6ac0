import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchBrowser, PICTURES } from '../../helpers/browser.js';
import { closeAll } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { PERSONS } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const GROUPS = ['Aggregated', 'Extension', 'Console', 'User-center', 'Public', 'Plugins', 'Platform'].map(
  (name) => `${name} API V1alpha1`,
);

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
const requested: string[] = [];
const complaints: string[] = [];

if (CHROMIUM === undefined)
  console.warn('no Chromium is installed: the page of the description is not tested');

describe.skipIf(CHROMIUM === undefined)('the page of the description in a browser', () => {
  beforeAll(async () => {
    daemon = await startDaemonProcess({ dataDir: path.join(temporaryDirectory(), 'data') });
    context = await launchBrowser();
    page = await context.newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('shows each of the documents', async () => {
    await page.goto(`${daemon.url}/swagger-ui.html`);
    const select = page.locator('#select');
    await select.waitFor();
    expect(await select.locator('option').allTextContents()).toEqual(GROUPS);
    // The first one last, for its page is what the next test works on.
    for (const name of [...GROUPS.slice(1), ...GROUPS.slice(0, 1)]) {
      await select.selectOption({ label: name });
      await page.locator('h1.title, h2.title').filter({ hasText: name }).waitFor();
    }
  });

  it("shows models and endpoints of plugins before what is the platform's own", async () => {
    await page.locator('.opblock-tag').first().waitFor();
    const tags = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.opblock-tag')].map(({ id }) => id)",
    );
    const names = tags.map((id) => id.replace('operations-tag-', ''));
    const ofPlugins = names.map((name) => /^(Bookmark|Package|Person)V1alpha1/.test(name));
    expect(names).toContain('PersonV1alpha1');
    expect(ofPlugins.lastIndexOf(true)).toBeLessThan(ofPlugins.indexOf(false));
  });

  it('has the operations of persons', async () => {
    const tag = page.locator('.opblock-tag-section', { has: page.locator('#operations-tag-PersonV1alpha1') });
    await page.locator('#operations-tag-PersonV1alpha1').click();
    await expect.poll(() => tag.locator('.opblock').count()).toBe(11);
  });

  it('lists a page of twenty persons when nothing is filled in', async () => {
    const operation = page.locator('#operations-PersonV1alpha1-ListPerson');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    const answered = page.waitForResponse((response) => response.url().includes(PERSONS));
    await operation.locator('button.execute').click();
    const response = await answered;
    expect(new URL(response.url()).searchParams.get('size')).toBe('20');
    const { total } = (await response.json()) as { total: number };
    const all = (await daemon.get(PERSONS)).json().total;
    expect([response.url(), total]).toEqual([response.url(), all]);
    expect(total).toBeGreaterThan(0);
    await operation.locator('.opblock-summary-control').click();
  });

  it('creates a person with the example that it proposes', async () => {
    const operation = page.locator('#operations-PersonV1alpha1-CreatePerson');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    const body = operation.locator('textarea.body-param__text');
    const proposed = JSON.parse(await body.inputValue()) as { metadata: { name: string } };
    await operation.locator('button.execute').click();
    const status = operation.locator('.live-responses-table tbody .response-col_status').first();
    await status.waitFor();
    await expect.poll(() => status.textContent()).toMatch(/^201/);
    expect((await daemon.get(`${PERSONS}/${proposed.metadata.name}`)).status).toBe(200);
    mkdirSync(PICTURES, { recursive: true });
    await operation.screenshot({ path: path.join(PICTURES, 'create-person.png') });
    await page.screenshot({ path: path.join(PICTURES, 'swagger-ui.png') });
  });

  it('asked nobody but the service, and had nothing to complain about', () => {
    expect(requested.length).toBeGreaterThan(10);
    expect(requested.filter((url) => !url.startsWith(`${daemon.url}/`) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)(
  'the page of the description of a service that asks for tokens',
  () => {
    let token = '';
    beforeAll(async () => {
      const dataDir = path.join(temporaryDirectory(), 'data');
      daemon = await startDaemonProcess({ dataDir, flags: ['--auth', 'token'] });
      token = /shown only now: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
      context = await launchBrowser();
      page = await context.newPage();
      complaints.length = 0;
      page.on('pageerror', (error) => complaints.push(error.message));
    }, 180_000);
    afterAll(() => closeAll(context, daemon));

    it('has a place for a token, and says when it is not known', async () => {
      await page.goto(`${daemon.url}/swagger-ui.html`);
      await page.getByLabel('Token').fill('nonsense');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect
        .poll(() => page.getByRole('alert').first().textContent())
        .toBe('Invalid or revoked token.');
    });

    it('shows the documents after sign-in, and sends the token with trial requests', async () => {
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('#operations-tag-PersonV1alpha1').click();
      const operation = page.locator('#operations-PersonV1alpha1-ListPerson');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('.try-out__btn').click();
      const answered = page.waitForResponse((response) => response.url().includes(PERSONS));
      await operation.locator('button.execute').click();
      expect((await answered).status()).toBe(200);
      await expect.poll(() => page.locator('.auth-wrapper .authorize.locked').count()).toBe(1);
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: path.join(PICTURES, 'signed-in.png') });
    });

    it('keeps the token in its tab alone, and forgets it when asked to', async () => {
      const other = await context.newPage();
      await other.goto(`${daemon.url}/swagger-ui.html`);
      await other.getByRole('button', { name: 'Sign in' }).waitFor();
      await other.close();
      await page.reload();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('[sessionStorage.length, localStorage.length]')).toEqual([0, 0]);
      expect(page.url()).not.toContain(token);
      expect(complaints).toEqual([]);
    });
  },
);
