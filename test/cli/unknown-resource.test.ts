import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { startDaemon } from '../../src/daemon/app.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { putFiles, runCli } from '../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const manifest = (name: string, more = ''): string =>
  `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: ${name} }\nspec: { version: 1.0.0${more} }\n`;

const code = (start: string): string => `
  import { BasePlugin } from 'xsvc';
  export default class extends BasePlugin { start() { ${start} } }`;

/** The log of plugins that fail is before the error. */
const containing = (error: string): unknown => expect.stringContaining(error);

it('an unknown resource names the plugins that do not serve, or the nearest name, on the store and on a server', async () => {
  const cwd = temporaryDirectory();
  await putFiles(path.join(cwd, 'plugins'), {
    'broken/plugin.yaml': manifest('broken'),
    'broken/index.js': code(`throw new Error('the key is missing')`),
    'off/plugin.yaml': manifest('off', ', enabled: false'),
    'off/index.js': code(''),
    'works/plugin.yaml': manifest('works'),
    'works/index.js': code(''),
  });
  const daemon = await startDaemon(readConfig({ flags: { port: 0 }, env: {}, cwd }), SILENT);
  const idle = '"broken" (FAILED: the key is missing); "off" (DISABLED)';
  const unknown = `error: there is no resource named "gadgets"; a plugin that does not serve may have it: ${idle}\n`;
  const near = 'error: there is no resource named "rols", did you mean "roles"?\n';
  for (const door of [[], ['--server', daemon.url]]) {
    for (const line of ['get gadgets', 'get gadgets one', 'delete gadgets one', 'explain gadgets'])
      expect(await runCli([...line.split(' '), ...door], { cwd })).toMatchObject({
        code: 3,
        err: containing(unknown),
      });
    expect((await runCli(['get', 'roles,gadgets', ...door], { cwd })).err).toEqual(containing(unknown));
    expect(await runCli(['get', 'rols', ...door], { cwd })).toMatchObject({ code: 3, err: containing(near) });
  }
  await daemon.close();
});
