import path from 'node:path';
import type { Logger } from '../lib/log/logger.js';

/** Changes within this time, in milliseconds, count as one: an editor writes a file in several steps. */
const SETTLE_MS = 150;

/** Directories that contain no code of a plugin: packages, version control, the store. */
const IGNORED = new Set(['node_modules', '.git', '.xsvc']);

/** Files in a plugin that do not change what it does: tests and texts. */
const INERT = /(^|\/)(tests?|__tests__)\/|\.(test|spec)\.[cm]?[jt]sx?$|\.md$/;

export interface PluginWatcher {
  /** Resolves when watching has ended and no change is being handled. */
  close(): Promise<void>;
}

/**
 * Watches plugin directories. Changes are handled one after the other; later ones are collected for the next round.
 * @param roots directories that contain plugins, or are one
 * @param onChange receives the absolute paths that changed
 */
export async function watchFiles(
  roots: readonly string[],
  logger: Logger,
  onChange: (paths: ReadonlySet<string>) => Promise<void>,
): Promise<PluginWatcher> {
  const { watch } = await import('chokidar');
  const watcher = watch([...roots], {
    ignored: (file) => IGNORED.has(path.basename(file)),
    ignoreInitial: true,
    persistent: true,
  });
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const settle = (): void => {
    const paths = changed;
    changed = new Set();
    round = round
      .then(() => onChange(paths))
      .catch((error: unknown) => logger.error('Cannot read changed plugins', { error: String(error) }));
  };
  watcher.on('all', (_event, file) => {
    changed.add(path.resolve(file));
    clearTimeout(timer);
    timer = setTimeout(settle, SETTLE_MS);
  });
  watcher.on('error', (error) => logger.warn('Cannot watch plugin files', { error: String(error) }));
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return {
    async close() {
      clearTimeout(timer);
      await watcher.close();
      await round;
    },
  };
}

/** The directories that equal or contain a changed path; tests and texts in them do not count. */
export function getDirectories(paths: ReadonlySet<string>, directories: readonly string[]): Set<string> {
  return new Set(
    directories.filter((directory) =>
      [...paths].some((file) => file === directory || isPartOf(file, directory + path.sep)),
    ),
  );
}

function isPartOf(file: string, root: string): boolean {
  return file.startsWith(root) && !INERT.test(file.slice(root.length).replaceAll(path.sep, '/'));
}
