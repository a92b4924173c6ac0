import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt } from '../../helpers/browser.js';
import { english, german, openTab, signOut } from '../../helpers/console.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import type { Translate } from '../../../src/console/texts.js';
import { LANGUAGE_NAMES } from '../../../src/console/texts/languages.js';

/** Languages that browsers in different places ask for. */
const READERS: readonly (readonly [locale: string, code: keyof typeof LANGUAGE_NAMES, texts: Translate])[] = [
  ['de-CH', 'de', german],
  ['pt-BR', 'en', english],
];

let daemon: DaemonProcess;
let token = '';

describe.skipIf(CHROMIUM === undefined)('signing in', () => {
  beforeAll(async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    daemon = await startDaemonProcess({ dataDir, flags: ['--auth', 'token'] });
    token = /shown only now: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
  }, 60_000);
  afterAll(async () => {
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });

  it.each(READERS)('is done in the language of a browser of %s: %s', async (locale, code, texts) => {
    const { context, page, followed } = await openTab(locale);
    try {
      await page.goto(`${daemon.url}/console/#/plugins`);
      await page.getByRole('heading', { name: texts`Sign in`, exact: true }).waitFor();
      const spoken = (): Promise<string | null> => page.locator('html').getAttribute('lang');
      const field = (of: Translate) => page.getByLabel(of`Token`, { exact: true });
      expect(await spoken()).toBe(code);
      expect(await lookAt(page, `console-sign-in-${code}`)).toEqual([]);
      await field(texts).fill('no-such-token');
      await page.getByRole('button', { name: texts`Sign in`, exact: true }).click();
      await expect.poll(() => page.getByRole('alert').textContent()).toBe(texts`Invalid or revoked token.`);
      // Another language is chosen before there is a token; what was typed stays.
      const [other, otherTexts] = code === 'de' ? (['en', english] as const) : (['de', german] as const);
      await page
        .getByRole('combobox', { name: texts`Language`, exact: true })
        .selectOption(LANGUAGE_NAMES[other]);
      await expect.poll(spoken).toBe(other);
      await expect
        .poll(() => page.getByRole('alert').textContent())
        .toBe(otherTexts`Invalid or revoked token.`);
      expect(await field(otherTexts).inputValue()).toBe('no-such-token');
      await field(otherTexts).fill(token);
      await page.getByRole('button', { name: otherTexts`Sign in`, exact: true }).click();
      await page.getByRole('heading', { name: otherTexts`Plugins`, exact: true }).waitFor();
      // It is remembered by the browser, and so is known before the next one signs in.
      await signOut(page);
      await page.reload();
      await page.getByRole('heading', { name: otherTexts`Sign in`, exact: true }).waitFor();
      expect(followed.complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
});
