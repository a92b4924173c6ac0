import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchBrowser } from '../../helpers/browser.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const CLIENT = readFileSync(new URL('../../../dist/bundle/client.js', import.meta.url), 'utf8');

/** Keeps a list of names, oldest person first. */
const PAGE = `<!doctype html><ul></ul><script type="module">
import { ApiError, createClient } from './client.js';
const persons = createClient({ server: new URLSearchParams(location.search).get('server') }).model('persons.demo.example.com');
const live = persons.live({ filter: 'spec.age >= 18', sort: 'spec.age,desc' });
live.subscribe(() => {
  document.querySelector('ul').innerHTML = live.items.map(({ metadata }) => '<li>' + metadata.name).join('');
  document.title = live.total + ' ' + (live.error?.reason ?? 'current');
});
live.ready.catch((error) => (document.title = error instanceof ApiError ? error.reason : 'other'));
globalThis.persons = persons;
</script>`;

let daemon: DaemonProcess;
let context: BrowserContext;
let pages: Server;

if (CHROMIUM === undefined) console.warn('no Chromium is installed: the client is not tested in a browser');

describe.skipIf(CHROMIUM === undefined)('the client for programs in a page of another origin', () => {
  beforeAll(async () => {
    pages = createServer((req, res) => {
      const isScript = req.url === '/client.js';
      res.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      res.end(isScript ? CLIENT : PAGE);
    });
    await once(pages.listen(0, '127.0.0.1'), 'listening');
    daemon = await startDaemonProcess({
      dataDir: temporaryDirectory(),
      plugins: [path.join(EXAMPLE_PLUGINS, 'person')],
      flags: ['--cors-origin', origin()],
    });
    context = await launchBrowser();
  }, 180_000);

  afterAll(async () => {
    await context.close();
    pages.close();
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });

  const origin = (host = '127.0.0.1'): string => `http://${host}:${(pages.address() as AddressInfo).port}`;

  it('lists, writes and follows', async () => {
    const page = await context.newPage();
    await page.goto(`${origin()}/?server=${daemon.url}`);
    await expect.poll(() => page.title()).toMatch(/^\d current$/);
    const names = (): Promise<string[]> => page.locator('li').allTextContents();
    const before = await names();
    await page.evaluate(
      "persons.create({ metadata: { name: 'oldest' }, spec: { name: 'Oldest', age: 150 } }).then(() => undefined)",
    );
    await expect.poll(names).toEqual(['oldest', ...before]);
    await daemon.send('POST', PERSONS, { body: person('kid', { age: 3 }) });
    await daemon.send('DELETE', `${PERSONS}/oldest`);
    await expect.poll(names).toEqual(before);
    const refused = await page.evaluate(
      "persons.create({ metadata: { name: 'x' }, spec: { age: 200 } }).catch((e) => [e.status, e.reason])",
    );
    expect(refused).toEqual([422, 'Invalid']);
    await page.close();
  });

  it('is refused where the origin is not allowed', async () => {
    const page = await context.newPage();
    await page.goto(`${origin('localhost')}/?server=${daemon.url}`);
    await expect.poll(() => page.title()).toMatch(/ServiceUnavailable$/);
    await page.close();
  });
});
