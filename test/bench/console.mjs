/**
 * Measures the console in Chromium: bytes and time, from an empty cache to the first rows of a list, of 20 objects and
 * of many. `console-memory.mjs` measures its memory.
 * Needs `npm run build` and /usr/bin/chromium. Usage: node test/bench/console.mjs [objects=1000000] [rounds=5]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { startDaemon } from './daemon.mjs';
import { ITEMS_PATH, ITEMS_PLUGIN } from './items.mjs';
import { median } from './packages.mjs';

const [objects, rounds] = [1_000_000, 5].map((fallback, i) => Number(process.argv[2 + i] ?? fallback));
const FEW = 20;
const LIST = `console/#${ITEMS_PATH.replace('/apis', '/models')}`;
const STORE = new URL('items-store.mjs', import.meta.url).pathname;

const root = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  await withDaemon(FEW, ({ url }) => measureLoads(FEW, url));
  await withDaemon(objects, ({ url }) => measureLoads(objects, url));
} finally {
  await browser.close();
  rmSync(root, { recursive: true });
}

async function withDaemon(count, use) {
  const directory = path.join(root, String(count));
  execFileSync(process.execPath, [STORE, directory, String(count)]);
  const daemon = await startDaemon(directory, { plugins: ITEMS_PLUGIN, core: undefined });
  try {
    await use(daemon);
  } finally {
    await daemon.stop();
  }
}

/** A list that was opened in a browser without a past. */
async function openList(url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  let bytes = 0;
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await devTools.send('Network.enable');
  await page.goto(new URL(LIST, url).href, { waitUntil: 'commit' });
  await page.locator('tbody tr').first().waitFor();
  // By the clock of the page, which begins with its navigation.
  const milliseconds = await page.evaluate('performance.now()');
  return { context, milliseconds, bytes };
}

async function measureLoads(count, url) {
  const seen = [];
  for (let round = 0; round < rounds; round++) {
    const { context, milliseconds, bytes } = await openList(url);
    seen.push({ milliseconds, bytes });
    await context.close();
  }
  const times = seen.map(({ milliseconds }) => milliseconds);
  console.log(
    `first rows of ${count}: ${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)} to ` +
      `${Math.max(...times).toFixed(0)}), ${(median(seen.map(({ bytes }) => bytes)) / 1024).toFixed(0)} KiB transferred`,
  );
}
