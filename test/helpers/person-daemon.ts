import path from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openRemote } from '../../src/client/http-verbs.js';
import type { Verbs } from '../../src/service/verbs.js';
import { EXAMPLE_PLUGINS, killDaemons, startDaemonProcess, type DaemonProcess } from './daemon.js';
import { putFiles } from './cli.js';
import { PERSON_REF } from './http.js';
import { removeDirectories, temporaryDirectory } from './store.js';

export const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');

/** The way in which a command reaches the objects. */
export type Door = 'store' | 'http';

/** A daemon that serves persons, beside which commands run. */
export interface PersonDaemon {
  readonly url: () => string;
  readonly dataDir: () => string;
  /** The verbs of other users while a command runs. */
  readonly others: () => Verbs;
  /** Flags with which a command works on the daemon's objects. */
  readonly flagsOf: (door: Door) => readonly string[];
}

/**
 * Starts one for the tests of a file. Each test begins without persons.
 * @param more the files of further plugins, by the plugin's name
 */
export function usePersonDaemon(
  more: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): PersonDaemon {
  let daemon: DaemonProcess;
  let dataDir = '';
  let plugins = [PERSON_PLUGIN];
  let others: Verbs;
  beforeAll(async () => {
    dataDir = temporaryDirectory();
    const directory = temporaryDirectory();
    for (const [name, files] of Object.entries(more)) await putFiles(path.join(directory, name), files);
    plugins = [PERSON_PLUGIN, ...Object.keys(more).map((name) => path.join(directory, name))];
    daemon = await startDaemonProcess({ dataDir, plugins });
    others = openRemote(daemon.url);
  });
  beforeEach(async () => {
    for await (const { metadata } of others.listAll(PERSON_REF))
      await others.delete(PERSON_REF, metadata.name);
  });
  afterAll(async () => {
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });
  return {
    url: () => daemon.url,
    dataDir: () => dataDir,
    others: () => others,
    flagsOf: (door) =>
      door === 'http'
        ? ['--server', daemon.url]
        : ['--data-dir', dataDir, ...plugins.flatMap((plugin) => ['--plugins', plugin])],
  };
}
