import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab } from '../../helpers/console.js';
import { putFiles } from '../../helpers/cli.js';
import { EXAMPLE_PLUGINS, freePort, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const DESK = 'desk.example.com';
const TICKETS = `/apis/${DESK}/v1/tickets`;
const LIST = '#/models/demo.example.com/v1alpha1/persons';
const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>';

/** Registration of a plugin with one class. */
interface Registered {
  readonly schema: object;
  /** Further options of `register`, as source. */
  readonly options?: string;
}

/** Writes a plugin whose model has this schema for `spec`. */
function putDesk(cwd: string, { schema, options = '{}' }: Registered): Promise<void> {
  const names = { group: DESK, kind: 'Ticket', plural: 'tickets', singular: 'ticket' };
  const whole = (spec: object): string => JSON.stringify({ type: 'object', properties: { spec } });
  return putFiles(cwd, {
    'plugins/desk/plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: desk }\nspec: { version: 1.0.0 }\n',
    'plugins/desk/index.mjs': `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
class Ticket extends AbstractExtension { static schema = ${whole(schema)}; }
GVK({ ...${JSON.stringify(names)}, version: 'v1' })(Ticket);
class Old extends AbstractExtension { static schema = ${whole({ type: 'object' })}; }
GVK({ ...${JSON.stringify(names)}, version: 'v1beta1' })(Old);
export default class Main extends BasePlugin {
  start() { this.ctx.schemeManager.register(Ticket, undefined, ${options}); }
}
`,
  });
}

const text = { type: 'string' };
const LOOSE = { type: 'object', properties: { subject: text, channel: text } };
const STRICT = {
  type: 'object',
  properties: { subject: text, channel: { ...text, enum: ['mail', 'phone'] } },
};
const LATER = `{
  versions: [{ model: Old, served: true, deprecated: ${JSON.stringify(`use v1 ${MARKUP}`)}, up: (o) => o, down: (n) => n }],
  migrations: [{ id: '2026-11-subject', description: 'nothing', up: (o) => o }],
}`;

let daemon: DaemonProcess;
let directory = '';
let context: BrowserContext;
let page: Page;
let followed: Followed;

function start(port: number): Promise<DaemonProcess> {
  const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
  return startDaemonProcess({ dataDir: path.join(directory, 'data'), port, plugins });
}

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/${hash}`);
}

async function put(name: string, spec: object): Promise<void> {
  const { status, text: answer } = await daemon.send('POST', PERSONS, { body: person(name, spec) });
  expect([status, status === 201 ? '' : answer]).toEqual([201, '']);
}

const region = (name: string) => page.getByRole('region', { name, exact: true });
const follow = (name: string) => page.getByRole('link', { name, exact: true }).click();
const cardOf = (plural: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name: plural, exact: true }) });

async function openPalette(): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
}

describe.skipIf(CHROMIUM === undefined)('the console, apart from lists and objects', () => {
  beforeAll(async () => {
    directory = temporaryDirectory();
    await putDesk(directory, { schema: LOOSE });
    daemon = await start(await freePort());
    for (const [name, channel] of [
      ['by-fax', 'fax'],
      ['by-mail', 'mail'],
      ['by-telex', 'telex'],
    ] as const) {
      const body = { metadata: { name }, spec: { subject: MARKUP, channel } };
      expect((await daemon.send('POST', TICKETS, { body })).status).toBe(201);
    }
    const { port } = daemon;
    // Migrations run while all objects fit; then the schema becomes stricter.
    for (const schema of [LOOSE, STRICT]) {
      await daemon.stop();
      await putDesk(directory, { schema, options: LATER });
      daemon = await start(port);
    }
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  describe('the overview', () => {
    it('draws how often each model was changed, and says it in words', async () => {
      for (let i = 0; i < 5; i++) await put(`drawn-${i}`, { age: i });
      await open('#/');
      const bars = cardOf('Persons').getByRole('img');
      await expect.poll(() => bars.getAttribute('aria-label')).toMatch(/^8 of the last \d+ changes/);
      expect(await bars.locator('rect').count()).toBeGreaterThan(0);
      await put('drawn-live', {});
      await expect.poll(() => bars.getAttribute('aria-label')).toMatch(/^9 of the last \d+ changes/);
    });

    it('shows the last changes of all models, at once, and leads to them', async () => {
      const recent = region('Recent changes');
      await put('seen-first', {});
      await expect
        .poll(() => recent.getByRole('listitem').first().textContent())
        .toMatch(/Name of seen-first.*Created.*Persons.*\d+s/);
      await daemon.send('DELETE', `${TICKETS}/by-mail`);
      await expect
        .poll(() => recent.getByRole('listitem').first().textContent())
        .toMatch(/by-mail.*Deleted.*Tickets/);
      await recent.getByRole('link', { name: 'Name of seen-first', exact: true }).click();
      await page.getByRole('heading', { name: 'seen-first', exact: true }).waitFor();
    });

    it('misses nothing that happens while the service is away', async () => {
      await open('#/');
      await region('Recent changes').getByText('seen-first').waitFor();
      const { port } = daemon;
      await daemon.stop();
      await page.getByText('The service does not answer. The data shown may be outdated').waitFor();
      const other = await start(await freePort());
      const { status } = await other.send('POST', PERSONS, { body: person('made-meanwhile', {}) });
      expect(status).toBe(201);
      await other.stop();
      daemon = await start(port);
      await region('Recent changes').getByText('made-meanwhile').waitFor();
      expect(await page.getByText('The data shown may be outdated').count()).toBe(0);
    });

    it('can be used by everybody', async () => {
      await region('Recent changes')
        .getByText(/\d+[sm]$/)
        .first()
        .waitFor();
      expect(await lookAt(page, 'console-overview-live')).toEqual([]);
    });
  });

  describe('the metrics', () => {
    it('are drawn over the last minutes, with the same numbers as a table', async () => {
      await open('#/metrics');
      await expect.poll(() => page.locator('.plot canvas').count()).toBe(7);
      for (let i = 0; i < 30; i++) await put(`measured-${i}`, {});
      const requests = page.getByRole('img', { name: /^Requests per second: per second [1-9]/ });
      await requests.waitFor();
      await page.getByRole('img', { name: /^Memory: resident [\d.]+ MiB, heap [\d.]+ MiB/ }).waitFor();
      await page.getByText('Latest values').click();
      const table = page.getByRole('table');
      await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(3);
      expect(await table.getByRole('columnheader').allTextContents()).toContain('Response latency: mean');
      expect(await table.textContent()).toMatch(/ ms.* MiB/);
      expect(await lookAt(page, 'console-metrics')).toEqual([]);
    });

    it('draw their lines in the colour of the page', async () => {
      const drawn = await page.evaluate<number>(`(() => {
        const canvas = document.querySelector('.plot canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let found = 0;
        // #4338ca, the accent in light.
        for (let i = 0; i < data.length; i += 4)
          if (data[i] === 0x43 && data[i + 1] === 0x38 && data[i + 2] === 0xca) found++;
        return found;
      })()`);
      expect(drawn).toBeGreaterThan(50);
    });
  });

  describe('the models', () => {
    it('are shown with their versions, migrations, and how many objects do not fit', async () => {
      await open('#/models');
      const row = page.getByRole('row').filter({ hasText: `Ticket · ${DESK}` });
      await expect
        .poll(() => row.textContent())
        .toMatch(/desk2v1stored.*v1beta1Deprecated: use v1 <img.*2026-11-subjectdone.*2 invalid objects/);
      expect(await page.getByRole('table').getByRole('link', { name: 'v1beta1' }).getAttribute('href')).toBe(
        `#/models/${DESK}/v1beta1/tickets`,
      );
    });

    it('tell which objects those are, and why', async () => {
      await page.getByRole('button', { name: 'Find them among tickets' }).click();
      await page.getByText('2 checked, 2 found').waitFor();
      const row = page.getByRole('row').filter({ hasText: 'by-telex' });
      expect(await row.textContent()).toMatch(/spec\.channel/);
      expect(await lookAt(page, 'console-models')).toEqual([]);
      await follow('by-fax');
      await page.getByRole('heading', { name: 'by-fax', exact: true }).waitFor();
      // Nothing was stored by looking.
      expect((await daemon.get(`${TICKETS}/by-fax`)).json()).toMatchObject({ metadata: { generation: 1 } });
    });

    it('are no more looked for when somebody stops it, which is no failure', async () => {
      await open('#/models');
      await page.route('**/batches?*', () => undefined);
      const asked = page.waitForRequest('**/batches?*');
      await page.getByRole('button', { name: 'Find them among tickets' }).click();
      await asked;
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('0 checked, 0 found').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.getByRole('button', { name: 'Find them among tickets' }).click();
      await page.getByText('2 checked, 2 found').waitFor();
    });
  });

  describe('the palette', () => {
    it('opens on each page by keyboard, and leads to a page', async () => {
      await open('#/');
      await openPalette();
      await page.keyboard.type('contr');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Controllers' }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
    });

    it('finds objects by the beginning of their names, among all models or those of one', async () => {
      await openPalette();
      await page.keyboard.type('made-mean');
      await page.getByRole('menuitem', { name: 'made-meanwhile' }).waitFor();
      expect(await lookAt(page, 'console-palette')).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'made-meanwhile', exact: true }).waitFor();
      await openPalette();
      await page.keyboard.type('tick by-');
      await page.getByRole('menuitem', { name: 'by-telex' }).waitFor();
      // Their titles are texts.
      expect(await page.getByRole('menuitem').allTextContents()).toEqual(
        ['by-fax', 'by-telex'].map((name) => `${MARKUP}${name} · Tickets`),
      );
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'by-telex', exact: true }).waitFor();
    });

    it('begins to create an object, and closes without doing anything', async () => {
      await openPalette();
      await page.keyboard.type('create tick');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Create Ticket' }).waitFor();
      await follow('YAML');
      await page.getByRole('textbox', { name: 'YAML' }).focus();
      await openPalette();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      expect(page.url()).toContain('#/create/');
    });
  });

  it('is left by keyboard: the skip link leads past the side, and what has the focus is seen', async () => {
    await open(LIST);
    // Within the page, the heading of the list has the focus, which is past the link.
    await page.reload();
    await page.getByText(/\d+ total/).waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    expect(await page.evaluate('document.activeElement.className')).toBe('shell-skip');
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.keyboard.press('Tab');
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
  });

  it('asked nobody but the service, kept to its policy, and had nothing to complain about', async () => {
    const others = followed.requested.filter(
      (url) => !/^(data|blob):/.test(url) && !url.startsWith(daemon.url),
    );
    expect(others).toEqual([]);
    expect(followed.complaints).toEqual([]);
    expect(await page.title()).not.toBe('1');
  });
});
