import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PICTURES } from '../../helpers/browser.js';
import { compare, decode, encode, reduce } from './compare.js';
import { REFUSED, SCENES, type Scene } from './scenes.js';
import {
  CAN_TAKE_PICTURES,
  close,
  getBarriers,
  getLayoutFaults,
  settle,
  shoot,
  startStage,
  WIDTHS,
  type Stage,
} from './stage.js';

const GOLDEN = new URL('golden', import.meta.url).pathname;
const GOLDEN_BYTES_MAX = 1_500_000;
/** A window of 1,440 × 900 pixels at 200 %. */
const ZOOMED = 720;
/** Only the bar may be above the heading of a page. */
const HEADING_TOP_MAX = 120;
const isRecording = process.env.RECORD === '1';

let stage: Stage | undefined;

beforeAll(async () => {
  if (!CAN_TAKE_PICTURES) return;
  if (isRecording) rmSync(GOLDEN, { recursive: true, force: true });
  mkdirSync(GOLDEN, { recursive: true });
  stage = await startStage();
});
afterAll(() => stage?.stop());

async function show(scene: Scene): Promise<Page> {
  if (stage === undefined) throw new Error('the stage is not ready yet');
  const page = await stage.open(scene);
  if (scene.isEmpty === true) await hideModels(page);
  await page.goto(`${stage.world.url}/console/${scene.hash}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (scene.prepare === undefined) return page;
  await settle(page);
  await scene.prepare(page);
  return page;
}

/** Leaves the models of the platform. */
async function hideModels(page: Page): Promise<void> {
  await page.route(/\/v1alpha1\/models(\?|$)/, async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { items: { group: string }[] };
    await route.fulfill({
      response,
      json: { ...list, items: list.items.filter(({ group }) => group.endsWith('platform.run')) },
    });
  });
}

const goldenOf = (name: string): string => path.join(GOLDEN, `${name}.png`);

/** Keeps the picture, or compares it. @returns the places that differ */
function judge(name: string, screenshot: Buffer): readonly string[] {
  const seen = reduce(screenshot);
  if (isRecording) {
    writeFileSync(goldenOf(name), encode(seen));
    return [];
  }
  const { tiles, marked } = compare(decode(readFileSync(goldenOf(name))), seen);
  if (tiles.length > 0) {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(path.join(PICTURES, `${name}.png`), screenshot);
    writeFileSync(path.join(PICTURES, `${name}-difference.png`), encode(marked));
  }
  return tiles;
}

const suite = describe.skipIf(!CAN_TAKE_PICTURES).concurrent;

suite('the console', () => {
  it.each(SCENES)('looks as recorded, cuts nothing and has no barriers: $name', async (scene) => {
    const page = await show(scene);
    try {
      const faults = judge(scene.name, await settle(page)).map((tile) => `picture differs at ${tile}`);
      faults.push(...(await getBarriers(page)));
      await page.emulateMedia({ colorScheme: scene.scheme === 'light' ? 'dark' : 'light' });
      faults.push(...(await getBarriers(page, ['color-contrast'])));
      for (const width of [...WIDTHS, ZOOMED]) {
        await page.setViewportSize({ width, height: width === ZOOMED ? 450 : 900 });
        faults.push(...(await lastingLayoutFaults(page)).map((fault) => `at ${width}: ${fault}`));
        const top = (await page.getByRole('heading', { level: 1 }).first().boundingBox())?.y ?? 0;
        if (top > HEADING_TOP_MAX) faults.push(`at ${width}: the content begins at ${top}`);
      }
      expect([...new Set(faults)]).toEqual([]);
    } finally {
      await close(page);
    }
  });
});

/** Breaks the page, and how. */
const BREAKAGES = {
  'a hidden element': `heading.style.visibility = 'hidden'`,
  'an element that moved by 12 pixels': `heading.style.transform = 'translateX(12px)'`,
  'an element that moved down': `heading.style.transform = 'translateY(12px)'`,
  'wrong colours': `[heading.style.background, heading.style.color] = ['rgb(67, 56, 202)', 'white']`,
  'an element over another': `heading.style.position = 'fixed'; heading.style.top = '40%'`,
};

it.skipIf(!CAN_TAKE_PICTURES)('a broken style is found by its picture', async () => {
  const page = await show({ name: 'broken', hash: '#/access', width: 1024, scheme: 'light' });
  try {
    const before = reduce(await settle(page));
    for (const [name, breakage] of Object.entries(BREAKAGES)) {
      await page.evaluate(`{ const heading = document.querySelector('main h1, main h2'); ${breakage}; }`);
      expect(compare(before, reduce(await shoot(page))).tiles.length, name).toBeGreaterThan(0);
      await page.evaluate(`document.querySelector('main h1, main h2').removeAttribute('style')`);
      expect(compare(before, reduce(await shoot(page))).tiles, `after ${name}`).toEqual([]);
    }
  } finally {
    await close(page);
  }
});

/** Most times that a page is looked at while it moves to its place in a new window. */
const LOOKS_MAX = 50;

/** Faults that stay: a menu follows its button some frames after the window has changed. */
async function lastingLayoutFaults(page: Page): Promise<readonly string[]> {
  let faults: readonly string[] = [];
  for (let look = 0; look < LOOKS_MAX; look++) {
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
    faults = await getLayoutFaults(page);
    if (faults.length === 0) break;
  }
  return faults;
}

/** Faults that the page gets. */
const OVERLAP = `const copy = one.cloneNode(true); copy.style.marginInlineStart = '-30px'; one.after(copy); one.parentElement.style.display = 'block'`;
const COVER = `const cover = document.createElement('p'); cover.style.cssText = 'position: fixed; inset: 0; z-index: 9'`;
const LAYOUT_BREAKAGES = {
  'too wide': `Object.assign(main.style, { width: '3000px' })`,
  'cut text': `Object.assign(heading.style, { width: '20px', overflow: 'hidden', whiteSpace: 'nowrap' })`,
  overlap: `const one = document.querySelector('main button'); ${OVERLAP}`,
};

it.skipIf(!CAN_TAKE_PICTURES)(
  'an overlap in a drawer, and a covered button of its bar, are found',
  async () => {
    const page = await show({
      name: 'broken',
      hash: '#/models/shop.example.com/v1/products?open=p-00004',
      width: 1440,
      scheme: 'light',
    });
    try {
      await page.locator('.record-drawer').getByRole('textbox').first().waitFor();
      await page.evaluate(
        `{ const one = document.querySelector('.record-drawer .record-head button'); ${OVERLAP}; }`,
      );
      expect((await getLayoutFaults(page)).join('\n')).toContain('overlap');
      await page.evaluate(`{ ${COVER}; document.querySelector('.record-drawer').append(cover); }`);
      expect((await getLayoutFaults(page)).join('\n')).toMatch(/covered: <button\S*> Save/);
    } finally {
      await close(page);
    }
  },
);

it.skipIf(!CAN_TAKE_PICTURES)('a broken layout is found by its boxes', async () => {
  const page = await show({ name: 'broken', hash: '#/access', width: 1024, scheme: 'light' });
  try {
    await settle(page);
    for (const [name, breakage] of Object.entries(LAYOUT_BREAKAGES)) {
      await page.evaluate(
        `{ const main = document.querySelector('main'), heading = document.querySelector('main h1'); ${breakage}; }`,
      );
      expect((await getLayoutFaults(page)).join('\n')).toContain(name);
      await page.evaluate(
        `for (const one of document.querySelectorAll('main, main h1, main button')) one.removeAttribute('style')`,
      );
    }
  } finally {
    await close(page);
  }
});

describe.skipIf(!CAN_TAKE_PICTURES)('a form that was refused', () => {
  it.each([390, 1440] as const)('shows the first faulty field, and counts all: %i', async (width) => {
    const page = await show({ ...REFUSED, width });
    try {
      const first = page.locator('[aria-invalid=true]').first();
      await expect
        .poll(() => page.evaluate(`document.activeElement === document.querySelector('[aria-invalid=true]')`))
        .toBe(true);
      const [field, bar] = [await first.boundingBox(), await page.locator('.edit-bar').boundingBox()];
      expect(field?.y).toBeGreaterThan(0);
      expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
      expect(await page.locator('.edit-bar .problem').innerText()).toBe('4 problems');
    } finally {
      await close(page);
    }
  });
});

it.skipIf(!CAN_TAKE_PICTURES)('the stored pictures are few bytes, and each has a scene', () => {
  const files = readdirSync(GOLDEN);
  expect(files.sort()).toEqual(SCENES.map(({ name }) => `${name}.png`).sort());
  expect(files.reduce((sum, file) => sum + statSync(path.join(GOLDEN, file)).size, 0)).toBeLessThan(
    GOLDEN_BYTES_MAX,
  );
});
