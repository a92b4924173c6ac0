import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type Followed } from '../../helpers/browser.js';
import { putFiles } from '../../helpers/cli.js';
import { closeAll, openTab } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { temporaryDirectory } from '../../helpers/store.js';
import { getLayoutFaults } from '../../gate/pictures/stage.js';

const MODELS = 150;
const FIELDS = 1_000;
const ITEMS = 6_000;
const USERS = 1_000;
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const ACCESS = 'access.platform.run/v1alpha1';
/** As long as a name can be, and without a place to break it. */
const LONG_NAME = 'n'.repeat(253);
const THINGS = '/apis/lots.example.com/v1/thing000s';
const LIST = '#/models/lots.example.com/v1/thing000s';

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

/** A plugin with many models. The first one has an array, the second one many fields. */
function putLots(cwd: string): Promise<void> {
  return putFiles(cwd, {
    'lots/plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: lots }\nspec: { version: 1.0.0 }\n',
    'lots/index.mjs': `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
const fields = Object.fromEntries(Array.from({ length: ${FIELDS} }, (_, i) => ['field' + i, { type: 'string' }]));
const specs = [
  { type: 'object', properties: { title: { type: 'string' }, items: { type: 'array', items: { type: 'string' } } } },
  { type: 'object', properties: fields },
];
export default class Main extends BasePlugin {
  start() {
    for (let i = 0; i < ${MODELS}; i++) {
      const singular = 'thing' + String(i).padStart(3, '0');
      class Model extends AbstractExtension {
        static schema = { type: 'object', properties: { spec: specs[i] ?? { type: 'object' } } };
      }
      GVK({ group: 'lots.example.com', version: 'v1', kind: 'Thing' + singular.slice(5), plural: singular + 's', singular })(Model);
      this.ctx.schemeManager.register(Model);
    }
  }
}
`,
  });
}

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/`);
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

async function create(objects: readonly object[]): Promise<void> {
  for (let i = 0; i < objects.length; i += 500) {
    const items = objects.slice(i, i + 500).map((object) => ({ verb: 'create', object }));
    const { status, text } = await daemon.send('POST', BATCHES, { body: { items } });
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  }
}

/** Milliseconds that something takes. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

describe.skipIf(CHROMIUM === undefined)('the console among lots', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putLots(directory);
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins: [directory] });
    const users = Array.from({ length: USERS }, (_, i) => `user-${i}`);
    await create(users.map((name) => ({ apiVersion: ACCESS, kind: 'User', metadata: { name } })));
    await create([
      {
        apiVersion: ACCESS,
        kind: 'Role',
        metadata: { name: 'reader' },
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }],
      },
    ]);
    const things = [
      { name: LONG_NAME, spec: { title: '🏳️‍🌈 مرحبا بالعالم.' } },
      { name: 'many', spec: { items: Array.from({ length: ITEMS }, (_, i) => `item ${i}`) } },
    ];
    for (const { name, spec } of things) {
      const { status, text } = await daemon.send('POST', THINGS, { body: { metadata: { name }, spec } });
      expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    }
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it(`has a table of rights for ${MODELS} models, whose checkboxes answer at once`, async () => {
    await open('#/access?role=reader');
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    await box('list thing149s').waitFor();
    await box('list thing149s').scrollIntoViewIfNeeded();
    expect(await timed(() => box('list thing149s').click())).toBeLessThan(5_000);
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Find a model' }).last().fill('thing007');
    await expect.poll(() => page.getByRole('grid').getByRole('checkbox').count()).toBeLessThan(20);
  });

  it(`finds one of ${USERS} users`, async () => {
    await open('#/access');
    const users = page.getByRole('region', { name: 'Users' }).first();
    await users.getByRole('searchbox').fill('user-777');
    await users.getByRole('link', { name: 'user-777', exact: true }).click();
    await page.getByRole('heading', { name: 'user-777', exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'reader', exact: true }).click();
    await page.getByText('user-777 has the role reader.').waitFor();
    await page
      .getByRole('row', { name: /thing000s/ })
      .first()
      .waitFor();
  });

  it(`shows a name of ${LONG_NAME.length} characters, and text from right to left, within each window`, async () => {
    expect(LONG_NAME).toHaveLength(253);
    for (const hash of [
      LIST,
      `${LIST}/${LONG_NAME}`,
      `${LIST}/${LONG_NAME}/history`,
      `${LIST}/${LONG_NAME}/related`,
    ]) {
      await open(hash);
      await page.getByText(LONG_NAME).first().waitFor({ state: 'attached' });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 860 });
        const faults = await getLayoutFaults(page);
        expect([hash, width, faults.filter((fault) => fault.includes('too wide'))]).toEqual([
          hash,
          width,
          [],
        ]);
      }
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it(`opens the form of ${ITEMS} items and of ${FIELDS} fields, and takes a letter at once`, async () => {
    await open(`${LIST}/many/form`);
    const title = page.getByRole('textbox', { name: /title/i }).first();
    await title.waitFor();
    expect(await timed(() => title.pressSequentially('abc'))).toBeLessThan(10_000);
    await open('#/create/lots.example.com/v1/thing001s/form');
    const field = page.getByRole('textbox', { name: /field ?7$/i }).first();
    await field.waitFor();
    expect(await timed(() => field.pressSequentially('abc'))).toBeLessThan(10_000);
    expect(followed.complaints).toEqual([]);
  });
});
