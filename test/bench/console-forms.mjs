/**
 * Measures the CPU time of the browser for each key in a form of the console: all of its work, with layout and paint.
 * Needs `npm run build` and /usr/bin/chromium. Usage: node test/bench/console-forms.mjs [keys=40]
 */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { startProcess } from './daemon.mjs';

const keys = Number(process.argv[2] ?? 40);
const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
const KEY_PAUSE_MS = 60;
const LINES = 300;
/** Flat forms with so many inputs, and an order whose items are displayed some at a time. */
const SIZES = [157, 907];

const text = { type: 'string' };
const line = {
  type: 'object',
  properties: { product: text, count: { type: 'integer' }, price: { type: 'number' } },
};
const properties = (count) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, text]));

const KINDS = [
  ...SIZES.map((size) => ({ kind: `Wide${size}`, spec: properties(size), value: valuesOf(size) })),
  {
    kind: 'Order',
    spec: { field0: text, lines: { type: 'array', items: line } },
    value: {
      field0: 'begin',
      lines: Array.from({ length: LINES }, (_, i) => ({ product: `p-${i}`, count: i, price: i / 2 })),
    },
  },
];

function valuesOf(size) {
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [`field${i}`, `value ${i}`]));
}

const plural = (kind) => `${kind.toLowerCase()}s`;

const root = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
const daemon = await startForms();
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  for (const one of KINDS) await measure(one);
} finally {
  await browser.close();
  await daemon.stop();
  rmSync(root, { recursive: true });
}

async function startForms() {
  const plugin = path.join(root, 'plugins', 'forms');
  mkdirSync(plugin, { recursive: true });
  writeFileSync(
    path.join(plugin, 'plugin.yaml'),
    'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: forms }\nspec: { version: 1.0.0 }\n',
  );
  const classes = KINDS.map(({ kind, spec }) => {
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } };
    const names = {
      group: 'forms.example.com',
      version: 'v1',
      kind,
      plural: plural(kind),
      singular: kind.toLowerCase(),
    };
    return `class ${kind} extends AbstractExtension { static schema = ${JSON.stringify(schema)}; }\nGVK(${JSON.stringify(names)})(${kind});`;
  });
  writeFileSync(
    path.join(plugin, 'index.mjs'),
    `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';\n${classes.join('\n')}\nexport default class Forms extends BasePlugin {
  start() { for (const one of [${KINDS.map(({ kind }) => kind).join(', ')}]) this.ctx.schemeManager.register(one); }
}\n`,
  );
  const flags = ['--port', '0', '--data-dir', path.join(root, 'data'), '--log-level', 'warn'];
  const started = await startProcess([BIN, 'serve', ...flags, '--plugins', path.join(root, 'plugins')], {
    core: undefined,
  });
  for (const { kind, value } of KINDS) {
    const response = await fetch(new URL(`/apis/forms.example.com/v1/${plural(kind)}`, started.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'measured' }, spec: value }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
  return started;
}

async function measure({ kind }) {
  const page = await browser.newPage();
  const devTools = await page.context().newCDPSession(page);
  // The time of the thread: beside other programs, that of the wall says nothing.
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busyMs = async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    const [all, scripts] = ['TaskDuration', 'ScriptDuration'].map(
      (name) => (metrics.find((one) => one.name === name)?.value ?? 0) * 1_000,
    );
    return { all, scripts };
  };
  await page.goto(
    new URL(`console/#/models/forms.example.com/v1/${plural(kind)}/measured/form`, daemon.url).href,
  );
  const input = page.locator('[data-field="spec.field0"] input');
  await input.focus();
  await page.waitForTimeout(1_000);
  const { all: openMs } = await busyMs();
  await page.keyboard.type('x');
  await page.waitForTimeout(1_000);
  const before = await busyMs();
  for (let i = 0; i < keys; i++) await page.keyboard.type('a', { delay: KEY_PAUSE_MS });
  await page.waitForTimeout(1_000);
  const after = await busyMs();
  const [all, scripts] = ['all', 'scripts'].map((name) => ((after[name] - before[name]) / keys).toFixed(1));
  const inputs = await page.locator('.object-form input').count();
  console.log(
    `${kind}: ${inputs} inputs, ${all} ms of CPU per key (${scripts} of scripts), ${openMs.toFixed(0)} ms to open`,
  );
  await page.close();
}
