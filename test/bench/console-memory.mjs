/**
 * Measures the memory of pages of the console while objects change, 50 times a second: each page in a separate tab,
 * read once a minute after a garbage collection. Memory that a tab keeps for some minutes and then drops shows as a
 * rise at the beginning.
 * Needs `npm run build` and /usr/bin/chromium. Usage: node test/bench/console-memory.mjs [minutes=10]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startDaemon } from './daemon.mjs';
import { ITEMS_PATH, ITEMS_PLUGIN } from './items.mjs';
import { formatTable } from './timing.mjs';

const minutes = Number(process.argv[2] ?? 10);
const OBJECTS = 20;
const CHANGES_PER_SECOND = 50;
const LOOK_MS = 60_000;
const LIST = ITEMS_PATH.replace('/apis', '/models');
const STORE = new URL('items-store.mjs', import.meta.url).pathname;

const root = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
execFileSync(process.execPath, [STORE, root, String(OBJECTS)]);
const daemon = await startDaemon(root, { plugins: ITEMS_PLUGIN, core: undefined });
try {
  const { items } = await (await fetch(new URL(ITEMS_PATH, daemon.url))).json();
  const names = items.map(({ metadata }) => metadata.name);
  const pages = {
    overview: '/',
    list: LIST,
    object: `${LIST}/${names[0]}`,
    history: `${LIST}/${names[0]}/history`,
    metrics: '/metrics',
  };
  const tabs = await Promise.all(Object.entries(pages).map(([name, hash]) => openTab(name, hash)));
  const rows = [['minute', ...tabs.map(({ name }) => `${name} MiB`), 'changes']];
  await change(names, async (minute, changes) => {
    const used = await Promise.all(tabs.map(usedMiB));
    rows.push([String(minute), ...used.map((mib) => mib.toFixed(2)), String(changes)]);
  });
  console.log(formatTable(rows));
} finally {
  await browser.close();
  await daemon.stop();
  rmSync(root, { recursive: true });
}

/** @param look called each minute, the first time after a few seconds */
async function change(names, look) {
  const began = performance.now();
  let nextLookMs = 5_000;
  let minute = 0;
  for (let changes = 0; minute <= minutes; changes++) {
    const name = names[changes % names.length];
    await patch(new URL(`${ITEMS_PATH}/${name}`, daemon.url), { spec: { size: changes } });
    const nowMs = performance.now() - began;
    if (nowMs >= nextLookMs) {
      await look(minute, changes);
      minute += 1;
      nextLookMs = minute * LOOK_MS;
    }
    await sleep(Math.max(0, began + (changes / CHANGES_PER_SECOND) * 1000 - performance.now()));
  }
}

async function openTab(name, hash) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await page.goto(new URL(`console/#${hash}`, daemon.url).href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { name, devTools };
}

async function usedMiB({ devTools }) {
  await devTools.send('HeapProfiler.collectGarbage');
  return (await devTools.send('Runtime.getHeapUsage')).usedSize / 2 ** 20;
}

async function patch(url, body) {
  const response = await fetch(url, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
