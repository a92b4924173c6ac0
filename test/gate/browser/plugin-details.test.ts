import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { CHROMIUM, lookAt } from '../../helpers/browser.js';
import { temporaryDirectory } from '../../helpers/store.js';
import { useJourneys } from './journeys.js';

const SECRET = 'sesame-opens';
const config = path.join(temporaryDirectory(), 'xsvc.yaml');
writeFileSync(config, `pluginConfig:\n  pager: { url: 'https://a.example', key: ${SECRET} }\n`);

const journeys = useJourneys(['--watch', '--config', config]);
const { journey } = journeys;

const PAGER = `import { BasePlugin, RouteBuilder } from 'xsvc';
export default class extends BasePlugin {
  static config = class {
    static schema = { type: 'object', required: ['url', 'key'], properties: {
      url: { type: 'string' }, retries: { type: 'integer' }, key: { type: 'string', format: 'password' } } };
  };
  start() { this.ctx.logger.warn('began'); }
}
export class Say {
  constructor(ctx) { this.ctx = ctx; }
  groupVersion() { return 'v1alpha1'; }
  endpoint() {
    return RouteBuilder.route().GET('/say/{text}', ({ params }) => {
      this.ctx.logger.info(params.text, { stack: 'Error: x\\n    at y' });
      return {};
    }).build();
  }
}
`;
const FAULT = Array.from({ length: 14 }, (_, i) => `line ${i} of the error`).join('\\n');

beforeAll(() => {
  if (CHROMIUM === undefined) return;
  const put = (name: string, main: string): void => {
    const directory = path.join(journeys.directory, 'plugins', name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'index.js'), main);
    const manifest = {
      apiVersion: 'plugin.platform.run/v1alpha1',
      kind: 'Plugin',
      metadata: { name },
      spec: { version: '2.0.0' },
    };
    writeFileSync(path.join(directory, 'plugin.yaml'), JSON.stringify(manifest));
  };
  put('pager', PAGER);
  put('broken', `throw new Error('${FAULT}');\n`);
});

describe('the page of a plugin', () => {
  journey('shows a whole error, at any width', async ({ page, open }) => {
    await open('#/plugins');
    const row = page.getByRole('row', { name: /^broken/ });
    await row.getByText('FAILED').waitFor();
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 860 });
      const switched = row.getByRole('button', { name: 'Disable' });
      const box = await switched.boundingBox();
      expect([width, (box?.x ?? 0) + (box?.width ?? 0) <= width]).toEqual([width, true]);
    }
    await row.getByRole('link', { name: 'broken', exact: true }).click();
    await page.getByRole('alert').getByText('line 13 of the error').waitFor();
    expect(await lookAt(page, 'plugin-failed')).toEqual([]);
  });

  journey('has the configuration as a form and as text, without secrets', async ({ page, open }) => {
    await open('#/plugins/pager');
    await page.getByRole('link', { name: 'Configuration', exact: true }).click();
    const text = page.getByRole('region', { name: 'Configuration', exact: true });
    await expect
      .poll(() => text.textContent())
      .toBe('# Keep your lines of: key\npluginConfig:\n  pager:\n    url: https://a.example\n');
    await page.getByLabel('retries').fill('3');
    await expect.poll(() => text.textContent()).toContain('    retries: 3\n');
    await page.getByText('is set, and never shown').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(await lookAt(page, 'plugin-configuration')).toEqual([]);
  });

  journey('follows the log, filters it, and stops while it is paused', async ({ page, daemon, open }) => {
    const say = (text: string) =>
      daemon.get(`/apis/plugin.api.platform.run/v1alpha1/plugins/pager/say/${text}`);
    await open('#/plugins/pager/log');
    const log = page.getByRole('log', { name: 'Log' });
    await log.getByText('began').first().waitFor();
    await say('first');
    await log.getByText(/first stack=Error: x\n {4}at y/).waitFor();
    expect(await lookAt(page, 'plugin-log')).toEqual([]);
    await page.getByLabel('Level').selectOption('Warnings and errors');
    await expect.poll(() => log.getByText('first').count()).toBe(0);
    await log.getByText('began').first().waitFor();
    await page.getByLabel('Level').selectOption('All');
    await page.getByLabel('Contains').fill('FIRST');
    await page.getByText(/^1 of \d+ lines$/).waitFor();
    await page.getByLabel('Contains').fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    await say('second');
    await page.getByRole('button', { name: 'Continue' }).click();
    await log.getByText('second').waitFor();
  });

  journey('says how to install a plugin', async ({ page, open, dialog }) => {
    await open('#/plugins');
    await page.getByRole('button', { name: 'Install a plugin' }).click();
    const commands = dialog('Install a plugin');
    await commands.getByText('npm install --ignore-scripts ./plugin.tgz').waitFor();
    expect(await lookAt(page, 'plugin-install')).toEqual([]);
    await page.keyboard.press('Escape');
    await commands.waitFor({ state: 'detached' });
  });
});
