import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startDaemon } from '../../src/daemon/app.js';
import { readConfig, type Config } from '../../src/config.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { freePort } from '../helpers/daemon.js';
import { GATED_ITEMS, gatedPlugin } from '../helpers/gated-plugin.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const ITEM = 'apiVersion: gated.example.com/v1\nkind: Item\nmetadata: { name: one }\n';

function configOn(port: number): Config {
  const dataDir = path.join(temporaryDirectory(), 'data');
  return readConfig({ flags: { dataDir, port, plugins: [] }, env: {}, cwd: temporaryDirectory() });
}

const statusAt = (url: string): Promise<number | 'refused'> =>
  fetch(url).then(
    ({ status }) => status,
    () => 'refused' as const,
  );

describe('a daemon that listens when its plugins have started', () => {
  it('refuses connections before, and never answers 503', async () => {
    const port = await freePort();
    const gated = gatedPlugin();
    const reported: string[] = [];
    const info = (message: string): void => void reported.push(message);
    const starting = startDaemon(
      configOn(port),
      { ...SILENT, info },
      {
        plugins: [gated.source],
        listens: 'whenStarted',
      },
    );
    await expect
      .poll(() => reported)
      .toContainEqual(expect.stringContaining('this process is now the leader'));
    expect(await statusAt(`http://127.0.0.1:${port}/readyz`)).toBe('refused');
    gated.goOn();
    const daemon = await starting;
    expect(await statusAt(`${daemon.url}/readyz`)).toBe(200);
    expect(await statusAt(`${daemon.url}${GATED_ITEMS}`)).toBe(200);
    await daemon.close();
  });
});

describe('a daemon whose plugins start', () => {
  it('says that its models are not complete, and commands on it end with 6, never with 3', async () => {
    const port = await freePort();
    const gated = gatedPlugin();
    const url = `http://127.0.0.1:${port}`;
    const starting = startDaemon(configOn(port), SILENT, { plugins: [gated.source] });
    const list = async (): Promise<unknown> =>
      fetch(`${url}/apis/api.platform.run/v1alpha1/models`).then(
        async (answer) => ((await answer.json()) as { readonly metadata: object }).metadata,
        () => undefined,
      );
    await expect.poll(list).toEqual({ complete: false, starting: ['gated'] });
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'item.yaml': ITEM });
    const xsvc = (line: string): Promise<CliResult> => runCli([...line.split(' '), '--server', url], { cwd });
    const missing = [
      'get items',
      'get items one -o json',
      'label items one a=b',
      'apply -f item.yaml',
      'export --all',
    ];
    for (const { code, err } of await Promise.all(missing.map(xsvc)))
      expect([code, err]).toEqual([6, expect.stringMatching(/the server is starting its plugins \(gated\)/)]);
    expect(await xsvc('get plugins -o name')).toMatchObject({ code: 0, out: 'plugins/gated\n' });
    expect(await xsvc('plugin list')).toMatchObject({ code: 0 });
    expect(await xsvc('get plugins nobody')).toMatchObject({ code: 3 });
    gated.goOn();
    const daemon = await starting;
    expect(await xsvc('get items')).toMatchObject({ code: 0 });
    expect(await list()).toEqual({ complete: true });
    expect(await xsvc('get nothings')).toMatchObject({ code: 3 });
    await daemon.close();
  });
});
