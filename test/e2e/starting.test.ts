import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startDaemon } from '../../src/app.js';
import { readConfig, type Config } from '../../src/config.js';
import { SILENT } from '../../src/lib/logger.js';
import { freePort } from '../helpers/daemon.js';
import { GATED_ITEMS, gatedPlugin } from '../helpers/gated-plugin.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

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
    const told: string[] = [];
    const info = (message: string): void => void told.push(message);
    const starting = startDaemon(
      configOn(port),
      { ...SILENT, info },
      {
        plugins: [gated.source],
        listens: 'whenStarted',
      },
    );
    await expect.poll(() => told).toContainEqual(expect.stringContaining('this process leads'));
    expect(await statusAt(`http://127.0.0.1:${port}/readyz`)).toBe('refused');
    gated.goOn();
    const daemon = await starting;
    expect(await statusAt(`${daemon.url}/readyz`)).toBe(200);
    expect(await statusAt(`${daemon.url}${GATED_ITEMS}`)).toBe(200);
    await daemon.close();
  });
});
