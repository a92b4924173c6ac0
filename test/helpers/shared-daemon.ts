import path from 'node:path';
import { EXAMPLE_PLUGINS, startDaemonProcess, type DaemonProcess } from './daemon.js';
import { temporaryDirectory } from './store.js';

export const PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');

/** Starts a daemon with the plugin of persons on a shared store. */
export function startOn(
  store: string,
  flags: readonly string[] = [],
  dataDir = temporaryDirectory(),
): Promise<DaemonProcess> {
  return startDaemonProcess({ dataDir, plugins: [PLUGIN], flags: ['--store', store, ...flags] });
}
