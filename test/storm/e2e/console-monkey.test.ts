import path from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab, PAGES } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import {
  HOSTILE_NAMES,
  HOSTILE_PLURALS,
  HOSTILE_TEXTS,
  hostileList,
  hostilePath,
  putHostile,
  TRAPS,
  traps,
} from '../../helpers/hostile.js';
import { temporaryDirectory } from '../../helpers/store.js';

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const STEPS = 300;
const LONGEST_MS = 100_000;
/** Steps between two looks at what keeps people from using the page. */
const LOOK = 60;

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

/** Numbers from 0 to below 1, the same ones for a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = randomFrom(SEED);
const below = (count: number): number => Math.floor(random() * count);
function oneOf<T>(given: readonly [T, ...T[]]): T;
function oneOf<T>(given: readonly T[]): T | undefined;
function oneOf<T>(given: readonly T[]): T | undefined {
  return given[below(given.length)];
}

const names = traps().map((object) => (object as { metadata: { name: string } }).metadata.name);

async function makeTraps(): Promise<void> {
  for (const object of traps()) await daemon.send('POST', TRAPS, { body: object });
}

function somewhere(): string {
  const list = hostileList(oneOf(HOSTILE_PLURALS) ?? '');
  const given = encodeURIComponent(oneOf([...HOSTILE_TEXTS, ...HOSTILE_NAMES]) ?? '');
  const object = `${hostileList('traps')}/${oneOf(names) ?? ''}`;
  return oneOf([
    ...PAGES,
    list,
    `${hostileList('traps')}?facets=spec.text&explain=true`,
    `${list}?filter=${given}`,
    `${list}?labelSelector=${given}&sort=${given}`,
    `${list}/${given}`,
    `${list}?page=${given}&size=1e308`,
    object,
    `${object}/yaml`,
    `${object}/form`,
    `${object}/history`,
    `${object}/related`,
    `#/create/hostile.example.com/v1/traps/${oneOf(['form', 'yaml'])}`,
    `#/${given}`,
  ]);
}

/** One of those that are seen; undefined where there is none. */
async function anyOf(selector: string): Promise<Locator | undefined> {
  const all = page.locator(selector);
  const count = await all.count();
  return count === 0 ? undefined : all.nth(below(count));
}

const CLICKED = [
  'button',
  'a[href^="#"]',
  'summary',
  'input[type=checkbox]',
  '[role=menuitem]',
  '[role=option]',
]
  .map((one) => `${one}:visible`)
  .join(', ');
const TYPED = [
  'input:not([type=checkbox], [type=radio])',
  'textarea',
  '[contenteditable=true]',
  '[role=searchbox]',
]
  .map((one) => `${one}:visible`)
  .join(', ');
const KEYS = [
  'Enter',
  'Escape',
  'Tab',
  'Shift+Tab',
  'ArrowDown',
  'ArrowUp',
  'Control+k',
  'Control+Space',
  'F8',
  'Backspace',
];
/** Actions do not wait for elements that are hidden or disappear. */
const ONE = { timeout: 500, noWaitAfter: true } as const;

const ACTIONS: readonly [weight: number, act: () => Promise<unknown>][] = [
  [3, () => page.evaluate(`location.hash = ${JSON.stringify(somewhere())}`)],
  [8, async () => (await anyOf(CLICKED))?.click(ONE)],
  [3, async () => (await anyOf(TYPED))?.fill(oneOf([...HOSTILE_TEXTS, ...HOSTILE_NAMES]) ?? '', ONE)],
  [1, () => page.keyboard.insertText(oneOf(HOSTILE_TEXTS) ?? '')],
  [3, () => page.keyboard.press(oneOf(KEYS) ?? '')],
  [
    1,
    async () => {
      const select = await anyOf('select:visible');
      const count = (await select?.locator('option').count()) ?? 0;
      await select?.selectOption({ index: below(count) }, ONE);
    },
  ],
  [1, () => page.evaluate(oneOf(['history.back()', 'history.forward()']))],
  [0.2, () => page.reload()],
  [0.3, makeTraps],
  [
    0.3,
    () =>
      daemon.send('PATCH', '/apis/plugin.platform.run/v1alpha1/plugins/hostile', {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { spec: { enabled: random() > 0.3 } },
      }),
  ],
];
const WEIGHT = ACTIONS.reduce((sum, [weight]) => sum + weight, 0);

async function act(): Promise<void> {
  let at = random() * WEIGHT;
  const chosen = ACTIONS.find(([weight]) => (at -= weight) < 0)?.[1];
  // An element that cannot be clicked any more is skipped.
  await chosen?.().catch((error: unknown) => {
    if (!(error instanceof Error) || !/Timeout|detached|not attached|Element is not/.test(error.message))
      throw error;
  });
}

const where = (): Promise<string> => page.evaluate('location.hash.slice(0, 200)');

describe.skipIf(CHROMIUM === undefined)('whatever is clicked and typed among hostile texts', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putHostile(directory);
    daemon = await startDaemonProcess({
      dataDir: path.join(directory, 'data'),
      plugins: [path.join(directory, 'plugins')],
    });
    for (const object of traps()) {
      const { status, text } = await daemon.send('POST', TRAPS, { body: object });
      expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    }
    for (const plural of HOSTILE_PLURALS.slice(1))
      for (const name of ['constructor', 'a'])
        await daemon.send('POST', hostilePath(plural), {
          body: { metadata: { name }, spec: { own: HOSTILE_TEXTS } },
        });
    ({ context, page, followed } = await openTab());
    page.on('dialog', (dialog) => void dialog.accept());
    page.on('download', (download) => void download.cancel());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it(`breaks no page and runs no script (SEED=${SEED} replays it)`, async () => {
    // Replaces the empty page in the history, so that going back does not leave the console.
    await page.evaluate(`location.replace(${JSON.stringify(`${daemon.url}/console/`)})`);
    await page.getByRole('heading').first().waitFor({ state: 'attached' });
    expect(await page.evaluate('history.length')).toBe(1);
    const endMs = performance.now() + LONGEST_MS;
    const been = new Set<string>();
    for (let step = 1; step <= STEPS && (performance.now() < endMs || been.size <= 20); step++) {
      const from = await where();
      await act();
      const at = `step ${step} from ${from} at ${await where()}`;
      been.add((await where()).replace(/[?].*/, ''));
      await page
        .getByRole('heading')
        .first()
        .waitFor({ state: 'attached' })
        .catch(() => expect.fail(`no heading: ${at}`));
      expect([at, await page.evaluate('window.broken')]).toEqual([at, undefined]);
      expect([at, ...followed.complaints]).toEqual([at]);
      expect([at, await page.getByText('This part of the page failed').count()]).toEqual([at, 0]);
      if (step % LOOK === 0) expect([at, ...(await lookAt(page, `console-monkey-${step}`))]).toEqual([at]);
    }
    expect(been.size).toBeGreaterThan(20);
  });
});
