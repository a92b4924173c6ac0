import { stat } from 'node:fs/promises';
import type { Logger } from '../lib/log/logger.js';

/** Warns about a data directory in which other users may create or delete files. */
export async function warnIfShared(dataDir: string, logger: Logger): Promise<void> {
  const found = await stat(dataDir).catch(() => undefined);
  if (found === undefined) return;
  const { mode, uid } = found;
  const bits = `0${(mode & 0o7777).toString(8)}`;
  if ((mode & 0o022) !== 0)
    logger.warn(
      `other users may write to the data directory ${dataDir} (mode ${bits}); chmod 700 ${dataDir}`,
    );
  else if (uid !== 0 && uid !== process.getuid?.())
    logger.warn(`the data directory ${dataDir} belongs to another user (${uid}), who can write to it`);
}
