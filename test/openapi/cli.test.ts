import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/lib/json/yaml.js';
import { runCli } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { startTestServer, type TestServer } from '../helpers/http.js';
import { manifestText, writeFiles } from '../plugin/helpers.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { faultsOf, type DocumentValue } from './helpers.js';

let server: TestServer;
const cwd = temporaryDirectory();
const here = ['--plugins', EXAMPLE_PLUGINS, '--data-dir', path.join(cwd, 'data')];

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

describe('xsvc openapi', () => {
  it('prints a valid description of the plugins, and leaves no store behind', async () => {
    const { code, out, err } = await runCli(['openapi', ...here], { cwd });
    expect([code, err]).toEqual([0, '']);
    const document = JSON.parse(out) as DocumentValue;
    expect(document.paths).toHaveProperty(['/apis/demo.example.com/v1alpha1/persons']);
    expect(await faultsOf(document)).toEqual([]);
    expect(existsSync(path.join(cwd, 'data'))).toBe(false);
  });

  it('prints one group, as YAML', async () => {
    const { out } = await runCli(['openapi', '--group', 'console', '-o', 'yaml', ...here], { cwd });
    const document = parseYaml(out, { maxAliases: 0 }) as DocumentValue;
    expect(document.info.title).toBe('Console API V1alpha1');
  });

  it('prints the document of a plugin', async () => {
    const { out } = await runCli(['openapi', '--group', 'plugin_person', ...here], { cwd });
    const paths = Object.keys((JSON.parse(out) as DocumentValue).paths);
    expect(paths[0]).toBe('/apis/demo.example.com/v1alpha1/persons');
    expect(paths).toContain('/apis/console.api.demo.example.com/v1alpha1/persons');
    expect(paths.filter((one) => !one.includes('demo.example.com/'))).toEqual([]);
  });

  it('tells each slip in a description once', async () => {
    const directory = path.join(temporaryDirectory(), 'slip');
    await writeFiles(directory, {
      'plugin.yaml': manifestText('slip'),
      'index.js': `import { BasePlugin, RouteBuilder } from 'xsvc';
        export default class extends BasePlugin {}
        export const endpoint = {
          groupVersion: () => 'api.slip.example.com/v1',
          endpoint: () => RouteBuilder.route().GET('/nameless', () => 1).build(),
        };`,
    });
    const data = path.join(cwd, 'data');
    const { err } = await runCli(['openapi', '--plugins', directory, '--data-dir', data], { cwd });
    expect(err.match(/nameless: has no operationId/g)).toHaveLength(1);
  });

  it('prints what a server has', async () => {
    const { code, out } = await runCli(['openapi', '--server', server.url], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual((await server.get('/v3/api-docs')).json());
  });

  it.each([[['--server', 'SERVER']], [here]])('names the groups when it does not know one', async (where) => {
    const args = where.map((one) => (one === 'SERVER' ? server.url : one));
    const { code, err } = await runCli(['openapi', '--group', 'nope', ...args], { cwd });
    expect(code).toBe(3);
    expect(err).toMatch(/nope.*apis_aggregated\.api_v1alpha1.*apis_public\.api_v1alpha1/);
  });
});

describe('xsvc types', () => {
  it('prints the same types of a server and of its plugins', async () => {
    const plugin = path.join(EXAMPLE_PLUGINS, 'person');
    const local = await runCli(['types', '--plugins', plugin, '--data-dir', path.join(cwd, 'data')], { cwd });
    const remote = await runCli(['types', '--server', server.url], { cwd });
    expect([local.code, local.err]).toEqual([0, '']);
    expect(local.out).toMatch(/^export interface Person \{/m);
    expect(local.out).toContain('gender?: "MALE" | "FEMALE";');
    expect(remote.out).toBe(local.out);
  });
});
