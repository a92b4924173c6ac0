/**
 * Takes the picture of the console that README.md shows: a list of packages with its values counted.
 * Needs `npm run build`, /usr/bin/chromium and apt-cache. Usage: npm run picture
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { startDaemon } from './bench/daemon.mjs';
import { readPackages } from './bench/packages.mjs';
import { fillStore } from './bench/store.mjs';

const FILE = new URL('../docs/console.png', import.meta.url).pathname;
const LIST = 'console/#/models/catalogue.example.com/v1alpha1/packages';
const ASKED =
  'fieldSelector=spec.installedSize>2000&facets=spec.section,spec.priority,spec.maintainer&size=20';

const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-picture-'));
await fillStore(directory, readPackages().packages);
const daemon = await startDaemon(directory, { core: undefined });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  await page.goto(new URL(`${LIST}?${ASKED}`, daemon.url).href);
  await page.locator('tbody tr').first().waitFor();
  await page.getByText('libdevel').first().waitFor();
  await page.screenshot({ path: FILE });
} finally {
  await browser.close();
  await daemon.stop();
  rmSync(directory, { recursive: true });
}
