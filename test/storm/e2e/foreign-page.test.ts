import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchBrowser } from '../../helpers/browser.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const PLUGIN = '/apis/plugin.platform.run/v1alpha1/plugins/person';
const CONSOLE = '/apis/console.api.demo.example.com/v1alpha1/persons';

/** Sends a body in all ways that a script has: with and without a type, and asking first. A form sends into a frame. */
const PAGE = `<!doctype html><body><script>
async function attack(url, text) {
  const send = (options) => fetch(url, { method: 'POST', ...options }).catch(() => undefined);
  const blind = (body) => send({ mode: 'no-cors', body });
  await blind(new Blob([text]));
  await blind(new Blob([text], { type: 'text/plain' }));
  await blind(text);
  await blind(new URLSearchParams({ text }));
  navigator.sendBeacon(url, new Blob([text]));
  navigator.sendBeacon(url, text);
  await send({ headers: { 'Content-Type': 'application/json' }, body: text });
  await send({ method: 'DELETE' });
  await send({ headers: { 'X-HTTP-Method-Override': 'DELETE' } });
}
async function use(url, text) {
  const headers = { 'Content-Type': 'application/json' };
  const created = await fetch(url, { method: 'POST', headers, body: text });
  const own = url + '/ann';
  const source = new EventSource(own + '?watch=true');
  const event = await new Promise((resolve) => (source.onmessage = ({ data }) => resolve(JSON.parse(data))));
  source.close();
  const deleted = await fetch(own, { method: 'DELETE' });
  const missing = await fetch(own);
  const { headers: seen, status } = created;
  return [status, seen.get('Location'), seen.get('ETag'), event.type, deleted.status, missing.status];
}
function submit(url, enctype) {
  document.body.innerHTML =
    '<iframe name="frame"></iframe><form method="post" target="frame"><input></form>';
  const [form] = document.forms;
  form.action = url;
  form.enctype = enctype;
  form.elements[0].name = '{"metadata":{"name":"form"},"spec":{"name":"x","a":"';
  form.elements[0].value = '"}}';
  form.submit();
}
</script>`;

/** Requests that a page tries to send. */
const BODIES: readonly { readonly target: string; readonly body: object }[] = [
  { target: PERSONS, body: person('planted') },
  { target: CONSOLE, body: person('planted-too') },
  {
    target: BATCHES,
    body: {
      items: [{ verb: 'delete', apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', name: 'victim' }],
    },
  },
  {
    target: BATCHES,
    body: {
      items: [
        {
          verb: 'patch',
          apiVersion: 'plugin.platform.run/v1alpha1',
          kind: 'Plugin',
          name: 'person',
          patch: { spec: { enabled: false } },
        },
      ],
    },
  },
  {
    target: BATCHES,
    body: {
      items: [
        {
          verb: 'create',
          object: {
            apiVersion: 'access.platform.run/v1alpha1',
            kind: 'User',
            metadata: { name: 'mallory' },
          },
        },
      ],
    },
  },
];

let daemon: DaemonProcess;
let context: BrowserContext;
let pages: Server;

if (CHROMIUM === undefined) console.warn('no Chromium is installed: pages of other origins are not tested');

describe.skipIf(CHROMIUM === undefined)('a page of another origin in a browser', () => {
  beforeAll(async () => {
    daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [path.join(EXAMPLE_PLUGINS, 'person')],
    });
    pages = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(PAGE));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    context = await launchBrowser();
  }, 180_000);
  afterAll(async () => {
    await context.close();
    await new Promise((resolve) => pages.close(resolve));
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });

  // The same host with another port, and another host.
  it.each(['127.0.0.1', 'localhost'])('at %s changes nothing, whatever way it writes', async (host) => {
    expect((await daemon.send('POST', PERSONS, { body: person('victim') })).status).toBe(201);
    const before = await state();
    const page = await context.newPage();
    await page.goto(`http://${host}:${(pages.address() as AddressInfo).port}/`);
    const statuses: number[] = [];
    // The browser keeps most answers from the page, and then tells nothing of them but that they are over.
    let over = 0;
    const note = (request: Request): void => {
      if (request.url().startsWith(daemon.url) && request.method() === 'POST') over++;
    };
    page.on('requestfinished', note);
    page.on('requestfailed', note);
    page.on('response', (response) => {
      if (response.url().startsWith(daemon.url) && response.request().method() === 'POST')
        statuses.push(response.status());
    });
    for (const { target, body } of BODIES) await attack(page, daemon.url + target, JSON.stringify(body));
    await attackWithForms(page);
    // Beacons are answered some time later.
    await expect.poll(() => over).toBeGreaterThanOrEqual(BODIES.length * 5);
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await state()).toEqual(before);
    expect(daemon.output.stderr).toContain('rejected a write of a web page');
    await page.close();
    expect((await daemon.send('DELETE', `${PERSONS}/victim`)).status).toBe(200);
  });

  it('does everything where its origin is allowed', async () => {
    const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
    const allowing = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [path.join(EXAMPLE_PLUGINS, 'person')],
      flags: ['--cors-origin', origin],
    });
    const page = await context.newPage();
    await page.goto(origin);
    const url = JSON.stringify(allowing.url + PERSONS);
    const reported = await page.evaluate(`use(${url}, ${JSON.stringify(JSON.stringify(person('ann')))})`);
    expect(reported).toEqual([201, `${PERSONS}/ann`, expect.stringMatching(/^"\d+"$/), 'ADDED', 200, 404]);
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}`);
    await attack(page, allowing.url + PERSONS, JSON.stringify(person('planted')));
    expect((await allowing.get(PERSONS)).json().items.map(({ metadata }) => metadata.name)).not.toContain(
      'planted',
    );
    await page.close();
    await allowing.stop();
  });
});

async function state(): Promise<object> {
  const persons = (await daemon.get(PERSONS)).json();
  const plugin = (await daemon.get(PLUGIN)).json();
  return { revision: persons.metadata.resourceVersion, names: persons.items.length, plugin };
}

function attack(page: Page, url: string, text: string): Promise<unknown> {
  return page.evaluate(`attack(${JSON.stringify(url)}, ${JSON.stringify(text)})`);
}

async function attackWithForms(page: Page): Promise<void> {
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const answered = page.waitForResponse(
      (response) => response.url().endsWith(PERSONS) && response.request().method() === 'POST',
    );
    await page.evaluate(`submit(${JSON.stringify(daemon.url + PERSONS)}, ${JSON.stringify(enctype)})`);
    await answered;
  }
}
