import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { translator, type Translations } from '../../src/console/texts.js';
import { Writing } from '../../src/console/texts/writing.js';
import { followPage, launchBrowser, type Followed } from './browser.js';
import { killDaemons, type DaemonProcess } from './daemon.js';
import { removeDirectories } from './store.js';

/** Pages of the console, except lists, objects and forms for new objects. */
export const PAGES = [
  '#/',
  '#/models',
  '#/plugins',
  '#/controllers',
  '#/webhooks',
  '#/access',
  '#/metrics',
] as const;

const GERMAN = new URL('../../src/console/texts/de.json', import.meta.url);
export const GERMAN_TEXTS = JSON.parse(readFileSync(GERMAN, 'utf8')) as Translations;
export const english = translator(new Writing('en'), {});
export const german = translator(new Writing('de'), GERMAN_TEXTS);

/** A tab of a separate browser. */
export interface Tab {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly followed: Followed;
}

/** However busy the machine is: who waits for something goes on as soon as it is there. */
const PATIENCE_MS = 60_000;

/** @param locale of the user of the browser */
export async function openTab(locale?: string): Promise<Tab> {
  const context = await launchBrowser(locale);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return { context, page, followed: followPage(page) };
}

/** The menu of the user, in any language. */
async function openUserMenu(page: Page): Promise<void> {
  await page.locator('.user-menu-button').click();
  await page.locator('.user-menu').waitFor();
}

/** Signs out of the console, in any language. */
export async function signOut(page: Page): Promise<void> {
  await openUserMenu(page);
  // The last button of all is that for screen readers, which has no text.
  await page.locator('.user-menu').getByRole('button').filter({ hasText: /./ }).last().click();
}

/** Chooses the language of the console. @param code such as `de` */
export async function chooseLanguage(page: Page, code: string): Promise<void> {
  await openUserMenu(page);
  await page.locator('.user-menu select').selectOption(code);
  await page.keyboard.press('Escape');
  await page.locator('.user-menu').waitFor({ state: 'detached' });
}

/** Ends the browser and the service whose console it showed, and takes their directories away. */
export async function closeAll(context: BrowserContext, daemon: DaemonProcess): Promise<void> {
  await context.close();
  await daemon.stop();
  killDaemons();
  removeDirectories();
}
