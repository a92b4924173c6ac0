import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { temporaryDirectory } from './store.js';

/** The browser of this machine; undefined where there is none. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Pictures for people who look at a run; git ignores the directory. */
export const PICTURES = new URL('../../coverage/pictures', import.meta.url).pathname;

/** A browser without a past, of somebody who reads a language (BCP 47). */
export function launchBrowser(locale = 'en-US'): Promise<BrowserContext> {
  return chromium.launchPersistentContext(path.join(temporaryDirectory(), 'profile'), {
    executablePath: CHROMIUM ?? '',
    headless: true,
    locale,
    // A cold browser is read from a slow disk.
    timeout: 120_000,
    viewport: { width: 1280, height: 860 },
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

/** The requests and the complaints of a page. */
export interface Followed {
  readonly requested: string[];
  readonly complaints: string[];
}

export function followPage(page: Page): Followed {
  const followed: Followed = { requested: [], complaints: [] };
  page.on('request', (request) => followed.requested.push(request.url()));
  page.on('console', (message) => {
    // The browser logs each refused request; other tests check how the page handles it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      followed.complaints.push(message.text());
  });
  page.on('pageerror', (error) => followed.complaints.push(error.message));
  return followed;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The barriers on the page as it is now: serious and critical findings of axe, each with its element. */
async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const findings = await page.evaluate<Finding[]>('axe.run(document).then(({ violations }) => violations)');
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    );
}

/** Takes pictures of the page in light and dark. @returns what keeps people from using it, in either */
export async function lookAt(page: Page, name: string): Promise<string[]> {
  mkdirSync(PICTURES, { recursive: true });
  const barriers: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(PICTURES, `${name}-${colorScheme}.png`), fullPage: true });
    barriers.push(...(await barriersOf(page)).map((barrier) => `${colorScheme}: ${barrier}`));
  }
  return barriers;
}
