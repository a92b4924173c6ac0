import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchBrowser } from '../../helpers/browser.js';
import { putFiles } from '../../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

/** Events by which elements and scripts of a page learn about an address. */
const PAGE = `<!doctype html><body><script>
function element(name, attributes) {
  const made = Object.assign(document.createElement(name), attributes);
  const told = new Promise((resolve) => {
    made.onload = () => resolve('load');
    made.onerror = () => resolve('error');
  });
  document.body.append(made);
  return told.finally(() => made.remove());
}
function loads(url) {
  const told = (answer) => answer.then(({ type, status }) => type + ' ' + status, () => 'error');
  return Promise.all([
    element('object', { data: url }),
    element('img', { src: url }),
    element('script', { src: url }),
    element('link', { rel: 'stylesheet', href: url }),
    told(fetch(url, { mode: 'no-cors' })),
    told(fetch(url)),
    told(fetch(url, { method: 'HEAD', mode: 'no-cors' })),
  ]);
}
function frame(url) {
  return element('iframe', { src: url });
}
// The call that asks for it must return before the page goes.
function submit(url) {
  document.body.innerHTML = '<form><input name="size" value="1"></form>';
  document.forms[0].action = url;
  setTimeout(() => document.forms[0].submit());
}
</script>`;

/** A plugin with a page. */
const SHOP: Readonly<Record<string, string>> = {
  'plugin.yaml':
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: shop }\nspec: { version: 1.0.0 }\n',
  'index.js': "import { BasePlugin } from 'xsvc';\nexport default class extends BasePlugin {}\n",
  'public/index.html': '<!doctype html><title>Shop</title><script src="app.js"></script>',
  'public/app.js': "document.title += ' with its script'; console.log('the script of the shop runs');",
};

let daemon: DaemonProcess;
let context: BrowserContext;
let pages: Server;

const pageAt = (host: string): string => `http://${host}:${(pages.address() as AddressInfo).port}/`;
const call = (page: Page, name: string, url: string): Promise<unknown> =>
  page.evaluate(`${name}(${JSON.stringify(url)})`);

if (CHROMIUM === undefined) console.warn('no Chromium is installed: reads of foreign pages are not tested');

describe.skipIf(CHROMIUM === undefined)('a page of another origin in a browser', () => {
  beforeAll(async () => {
    pages = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(PAGE));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const shop = path.join(temporaryDirectory(), 'shop');
    await putFiles(shop, SHOP);
    daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [path.join(EXAMPLE_PLUGINS, 'person'), shop],
    });
    expect((await daemon.send('POST', PERSONS, { body: person('ann') })).status).toBe(201);
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
  it.each(['127.0.0.1', 'localhost'])('at %s cannot find out if an object exists', async (host) => {
    const page = await context.newPage();
    await page.goto(pageAt(host));
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().startsWith(daemon.url)) statuses.push(response.status());
    });
    const [one, none] = [`${daemon.url}${PERSONS}/ann`, `${daemon.url}${PERSONS}/nobody`];
    expect(await call(page, 'loads', one)).toEqual(await call(page, 'loads', none));
    expect(await call(page, 'frame', one)).toEqual(await call(page, 'frame', none));
    expect(new Set(statuses)).toEqual(new Set([403]));
    await page.close();
  });

  it.each(['127.0.0.1', 'localhost'])('at %s cannot lead to an answer of the API', async (host) => {
    const page = await context.newPage();
    await page.goto(pageAt(host));
    const answered = page.waitForResponse((response) => response.url().startsWith(daemon.url));
    await call(page, 'submit', `${daemon.url}${PERSONS}`);
    expect((await answered).status()).toBe(403);
    await page.close();
  });

  it.each(['/console/', '/', '/swagger-ui.html'])('may lead to the page %s, which works', async (target) => {
    const page = await context.newPage();
    await page.goto(pageAt('localhost'));
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await page.evaluate(`setTimeout(() => location.assign(${JSON.stringify(daemon.url + target)}))`);
    await page.waitForURL((url) => url.href.startsWith(daemon.url));
    await expect.poll(() => page.textContent('body')).toMatch(/persons?|demo\.example\.com/i);
    expect(refused).toEqual([]);
    await page.close();
  });

  it('reads the answers of the API that somebody types the address of', async () => {
    const page = await context.newPage();
    expect((await page.goto(`${daemon.url}${PERSONS}/ann`))?.status()).toBe(200);
    await page.close();
  });

  it('frames a page of a plugin, which loads its own files', async () => {
    const page = await context.newPage();
    await page.goto(pageAt('localhost'));
    const read: string[] = [];
    page.on('console', (message) => read.push(message.text()));
    expect(await call(page, 'frame', `${daemon.url}/plugins/shop/assets/`)).toBe('load');
    await expect.poll(() => read).toContain('the script of the shop runs');
    await page.goto(`${daemon.url}/plugins/shop/assets/`);
    await expect.poll(() => page.title()).toBe('Shop with its script');
    await page.close();
  });

  it('reads where its origin is allowed, as a script and not as an element', async () => {
    const allowing = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [path.join(EXAMPLE_PLUGINS, 'person')],
      flags: ['--cors-origin', pageAt('localhost').slice(0, -1)],
    });
    const page = await context.newPage();
    await page.goto(pageAt('localhost'));
    const reported = (await call(page, 'loads', `${allowing.url}${PERSONS}`)) as readonly string[];
    expect(reported).toEqual(['error', 'error', 'error', 'error', 'error', 'cors 200', 'error']);
    await page.close();
    await allowing.stop();
  });
});
