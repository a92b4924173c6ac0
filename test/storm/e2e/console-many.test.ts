import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab } from '../../helpers/console.js';
import { putFiles } from '../../helpers/cli.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { temporaryDirectory } from '../../helpers/store.js';

const MODELS = 300;
const nameOf = (i: number): string => `kind${String(i).padStart(3, '0')}s`;
const pathOf = (i: number): string => `/apis/many${i % 7}.example.com/v1/${nameOf(i)}`;

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

/** Writes a plugin with so many models, in a few groups. */
function putMany(cwd: string): Promise<void> {
  return putFiles(cwd, {
    'many/plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: many }\nspec: { version: 1.0.0 }\n',
    'many/index.mjs': `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
export default class Main extends BasePlugin {
  start() {
    for (let i = 0; i < ${MODELS}; i++) {
      const singular = 'kind' + String(i).padStart(3, '0');
      class Model extends AbstractExtension { static schema = { type: 'object' }; }
      const kind = 'Kind' + singular.slice(4);
      GVK({ group: 'many' + (i % 7) + '.example.com', version: 'v1', kind, plural: singular + 's', singular })(Model);
      this.ctx.schemeManager.register(Model);
    }
  }
}
`,
  });
}

const search = (place = 'main') => page.locator(place).getByRole('searchbox', { name: 'Find a model' });

describe.skipIf(CHROMIUM === undefined)(`the console with ${MODELS} models`, () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putMany(directory);
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins: [directory] });
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('has all of them on the overview, with a field that finds one', async () => {
    expect((await daemon.send('POST', pathOf(123), { body: { metadata: { name: 'only' } } })).status).toBe(
      201,
    );
    await page.goto(`${daemon.url}/console/`);
    const cards = page.getByRole('region', { name: 'Models', exact: true }).getByRole('listitem');
    await expect.poll(() => cards.count()).toBe(MODELS);
    expect(await lookAt(page, 'console-many-overview')).toEqual([]);
    await search().fill('KIND123');
    await expect.poll(() => cards.count()).toBe(1);
    expect(await cards.locator('.number').textContent()).toBe('1');
    await search().fill('kind999');
    await page.getByText('No matches.').waitFor();
  });

  const recent = () => page.getByRole('region', { name: 'Recent changes' });
  const make = async (i: number, name: string): Promise<void> =>
    expect((await daemon.send('POST', pathOf(i), { body: { metadata: { name } } })).status).toBe(201);
  const watchesSince = (from: number): string[] =>
    followed.requested.slice(from).filter((url) => url.includes('watch=true'));

  it('tells of a change of one of them within seconds, and asks no other model', async () => {
    await search().fill('');
    await recent().getByRole('link', { name: 'only', exact: true }).waitFor();
    await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    for (const i of [299, 0, 150]) {
      const [from, beganMs] = [followed.requested.length, performance.now()];
      await make(i, `seen-${i}`);
      await recent()
        .getByRole('link', { name: `seen-${i}`, exact: true })
        .waitFor();
      // It asks again every two seconds.
      expect(performance.now() - beganMs).toBeLessThan(20_000);
      expect(watchesSince(from).map((url) => new URL(url).pathname)).toEqual([pathOf(i)]);
    }
  });

  it('counts the changes of each, when all are changed at once', async () => {
    for (let i = 0; i < MODELS; i++) await make(i, 'of-all');
    const bars = (i: number) =>
      page
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: nameOf(i), exact: true }) })
        .getByRole('img');
    for (const [i, count] of [
      [0, 2],
      [77, 1],
      [123, 2],
      [299, 2],
    ] as const)
      await expect
        .poll(() => bars(i).getAttribute('aria-label'))
        .toMatch(new RegExp(`^${count} of the last \\d+ changes`));
  });

  it('has them at the side of other pages, with a field that finds one', async () => {
    await page.goto(`${daemon.url}/console/#/plugins`);
    const side = page.getByRole('navigation', { name: 'Models' });
    await expect.poll(() => side.getByRole('link').count()).toBe(MODELS);
    await page.getByText('300 models').waitFor();
    expect(await lookAt(page, 'console-many-plugins')).toEqual([]);
    // The links below them are still visible.
    const box = await page.getByRole('link', { name: 'API', exact: true }).boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(860);
    await search('nav').fill('kind07');
    await expect.poll(() => side.getByRole('link').count()).toBe(10);
    await side.getByRole('link', { name: nameOf(77) }).click();
    await page.getByRole('heading', { name: nameOf(77) }).waitFor();
    expect(await side.locator('[aria-current]').textContent()).toMatch(/^Kind077s/);
  });

  it('goes to one of them by keyboard', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('kind250');
    await page
      .getByRole('menuitem', { name: nameOf(250) })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: nameOf(250) }).waitFor();
  });

  it('shows the choice of the arrow keys among many, and lets everybody scroll them', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('kind');
    await expect.poll(() => page.getByRole('menuitem').count()).toBeGreaterThan(20);
    expect(await lookAt(page, 'console-many-palette')).toEqual([]);
    for (let i = 0; i < 18; i++) await page.keyboard.press('ArrowDown');
    const isSeen = `(() => {
      const one = document.querySelector('[role=menuitem][data-focused]').getBoundingClientRect();
      const all = document.querySelector('.palette-menu').getBoundingClientRect();
      return one.top >= all.top && one.bottom <= all.bottom;
    })()`;
    await expect.poll(() => page.evaluate(isSeen)).toBe(true);
    await page.keyboard.press('Escape');
    expect(followed.complaints).toEqual([]);
  });
});
