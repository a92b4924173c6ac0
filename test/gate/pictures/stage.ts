import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page, type Request } from 'playwright-core';
import { CHROMIUM } from '../../helpers/browser.js';
import { fixAnswers } from './fixed.js';
import { startWorld, type World } from './world.mjs';

export const WIDTHS = [390, 1024, 1440] as const;
export type Width = (typeof WIDTHS)[number];
export type Scheme = 'light' | 'dark';
const HEIGHT = 900;
const WAIT_MS = 60_000;
/** Of Debian's package `fonts-dejavu-core`, which CI installs. */
const FONT = 'DejaVu Sans';
/** Pictures need a browser and the font. */
export const CAN_TAKE_PICTURES =
  CHROMIUM !== undefined && existsSync('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf');

/** A running world and a browser. */
export interface Stage {
  readonly world: World;
  readonly open: (look: Look) => Promise<Page>;
  readonly stop: () => Promise<void>;
}

export interface Look {
  readonly width: Width;
  readonly scheme: Scheme;
}

/** Starts the world and a browser. The caller must stop them. */
export async function startStage(): Promise<Stage> {
  const beganMs = Date.now();
  const [world, browser] = await Promise.all([startWorld(), launch()]);
  return {
    world,
    open: async (look) => openPage(browser, look, beganMs),
    stop: async () => {
      await browser.close();
      await world.stop();
    },
  };
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--font-render-hinting=none',
    ],
  });
}

/** A page that looks the same on each machine: its clock, language, time zone and fonts are fixed. */
async function openPage(browser: Browser, { width, scheme }: Look, beganMs: number): Promise<Page> {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: scheme,
    reducedMotion: 'reduce',
    viewport: { width, height: HEIGHT },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  watchRequests(page);
  await fixAnswers(page, beganMs);
  await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
    const { style } = document.documentElement;
    style.setProperty('--sans', '"${FONT}"');
    style.setProperty('--mono', '"${FONT} Mono"');
  });`);
  return page;
}

/** The requests of a page without an answer, except watches, which have no end. */
const waiting = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const requests = new Set<Request>();
  waiting.set(page, requests);
  page.on('request', (request) => {
    if (!/[?&]watch=/.test(request.url())) requests.add(request);
  });
  const end = (request: Request): unknown => requests.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/** Takes screenshots until two are the same, and the page waits for nothing. */
export async function settle(page: Page): Promise<Buffer> {
  const endMs = Date.now() + WAIT_MS;
  let before: Buffer | undefined;
  while (Date.now() < endMs) {
    await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
    const now = await shoot(page);
    const isWaiting = (waiting.get(page)?.size ?? 0) > 0;
    if (!isWaiting && before?.equals(now) === true) return now;
    before = isWaiting ? undefined : now;
  }
  throw new Error('the page does not come to rest');
}

/** Of a page that is at rest. */
export function shoot(page: Page): Promise<Buffer> {
  return page.screenshot({ animations: 'disabled', caret: 'hide' });
}

/** Ends the requests of a page, and closes it. */
export async function close(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FAULTS = readFileSync(new URL('layout-faults.js', import.meta.url), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** All findings of axe, of any impact. @param rules default: all */
export async function getBarriers(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  await page.evaluate(AXE);
  // Without what nobody reads, which takes most of the time.
  const quick = { resultTypes: ['violations'], selectors: false };
  const options = rules === undefined ? quick : { ...quick, runOnly: rules };
  const findings = await page.evaluate<AxeFinding[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  // React Aria puts the buttons that close a popover for screen readers outside of landmarks.
  const isOverlay = (html: string): boolean => html.startsWith('<div style="display: contents;">');
  return findings.flatMap(({ id, nodes }) =>
    nodes.filter(({ html }) => !isOverlay(html)).map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  );
}

/** Cut or overlapping elements, and those outside of the page. */
export function getLayoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(FAULTS);
}
