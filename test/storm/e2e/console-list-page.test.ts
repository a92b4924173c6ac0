import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../../helpers/browser.js';
import { closeAll, openTab, type Tab } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const LIST = '#/models/demo.example.com/v1alpha1/persons';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let daemon: DaemonProcess;
let tab: Tab;
let page: Page;

const open = (hash: string) => page.goto(`${daemon.url}/console/${hash}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const values = () => page.getByRole('region', { name: 'Values', exact: true });
const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const rowNames = () => page.locator('tbody tr td:nth-child(2) a').allTextContents();
const link = (name: string) => page.getByRole('link', { name, exact: true });
const refusal = (message: string) => ({
  status: 500,
  json: { kind: 'Status', code: 500, reason: 'InternalError', message },
});

async function put(name: string, spec: object = {}): Promise<void> {
  expect((await daemon.send('POST', PERSONS, { body: person(name, spec) })).status).toBe(201);
}

async function rename(name: string, given: string): Promise<void> {
  const request = { headers: MERGE, body: { spec: { name: given } } };
  expect((await daemon.send('PATCH', `${PERSONS}/${name}`, request)).status).toBe(200);
  await page.getByRole('cell', { name: given }).waitFor();
}

/** The rows that lit up, once they are that many: the browser says so with its next frame. */
async function lit(count: number): Promise<string[]> {
  await expect.poll(() => page.evaluate<number>('window.lit.length'), { timeout: 30_000 }).toBe(count);
  return page.evaluate<string[]>('window.lit');
}

describe.skipIf(CHROMIUM === undefined)('the page of a list', () => {
  beforeAll(async () => {
    daemon = await startDaemonProcess({ dataDir: path.join(temporaryDirectory(), 'data') });
    for (let i = 1; i <= 7; i++) await put(`row-${i}`, { age: i });
    tab = await openTab();
    page = tab.page;
  }, 180_000);
  afterAll(() => closeAll(tab.context, daemon));

  it('that is walked by cursor goes back to the rows before, whatever is opened beside them', async () => {
    await open('#/');
    await open(`${LIST}?limit=2`);
    await page.getByText(/^1–2 of \d+$/).waitFor();
    const first = await rowNames();
    await press('Next');
    await page.getByText(/^3–4 of \d+$/).waitFor();
    await press('Values');
    await values().waitFor();
    await press('Explain');
    await press('Explain');
    await press('Previous');
    await page.getByText(/^1–2 of \d+$/).waitFor();
    expect(await rowNames()).toEqual(first);
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('that is walked by cursor goes to the beginning, when a link led into the middle', async () => {
    await open(`${LIST}?limit=2`);
    await page.getByText(/^1–2 of \d+$/).waitFor();
    await press('Next');
    await page.getByText(/^3–4 of \d+$/).waitFor();
    const shared = page.url();
    await page.goto('about:blank');
    await page.goto(shared);
    await page.getByText(/^3–4 of \d+$/).waitFor();
    await press('Previous');
    await page.getByText(/^1–2 of \d+$/).waitFor();
  });

  it('keeps its rows, and the opened parts, when they cannot be read again', async () => {
    await open(LIST);
    await press('Columns');
    await page.getByRole('checkbox', { name: 'Email' }).check();
    await page.keyboard.press('Escape');
    await page.route(`**${PERSONS}?size=*`, (route) => route.fulfill(refusal('no luck')));
    await put('row-8');
    await page.getByRole('alert').filter({ hasText: 'no luck' }).waitFor();
    expect(await link('row-1').count()).toBe(1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await press('Try again');
    await link('row-8').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Email' }).count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('keeps the numbers of values when they cannot be counted again', async () => {
    await open(`${LIST}?facets=spec.name`);
    const first = values().getByRole('listitem').first();
    await first.waitFor();
    await page.route(/[?&]facets=/, (route) => route.fulfill(refusal('not counted')));
    await put('row-counted');
    await page.getByRole('alert').filter({ hasText: 'not counted' }).waitFor();
    expect(await first.isVisible()).toBe(true);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await press('Try again');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect((await daemon.send('DELETE', `${PERSONS}/row-counted`)).status).toBe(200);
  });

  it('lights up a cell at each of its changes, and only then', async () => {
    await open(LIST);
    await link('row-1').waitFor();
    await page.evaluate(
      `window.lit = []; addEventListener('animationstart', ({ target }) => window.lit.push(target.closest('tr').textContent))`,
    );
    await rename('row-1', 'First Name');
    await lit(1);
    await put('row-9');
    await link('row-9').waitFor();
    await rename('row-1', 'Second Name');
    await lit(2);
    await rename('row-1', 'Third Name');
    expect((await lit(3)).every((row) => row.includes('row-1'))).toBe(true);
    await expect.poll(() => page.locator('[class*=list-row-fresh]').count(), { timeout: 30_000 }).toBe(0);
  });

  it('forgets its selection when it becomes another list', async () => {
    await open(`${LIST}?fieldSelector=spec.age%3D3`);
    await link('row-3').waitFor();
    await box('row-3').check();
    await page.getByText('1 selected').waitFor();
    await open(`${LIST}?fieldSelector=spec.age%3D4`);
    await link('row-4').waitFor();
    await page.goBack();
    await link('row-3').waitFor();
    expect(await box('row-3').isChecked()).toBe(false);
  });

  it('had nothing to complain about', () => {
    expect(tab.followed.complaints).toEqual([]);
  });
});
