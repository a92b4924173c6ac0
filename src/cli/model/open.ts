import type { DeclaredModels, DeclaredOptions } from '../../daemon/declared-models.js';
import { storeConfig } from '../commands/store/store-only.js';
import type { CliIo } from '../io.js';
import { openLineLog } from '../logging.js';
import { openForReading, type GlobalFlags } from '../session.js';

/** How a command about models opens the store. */
export interface OpenOptions extends DeclaredOptions {
  /** The command, for messages. */
  readonly command: string;
}

/**
 * Runs work with the store as it is and the models that the plugins declare, and closes it, whatever happens.
 * @throws UsageError when the command line names a server; ServiceError `ServiceUnavailable` when there is no store
 */
export async function withModels<T>(
  flags: GlobalFlags,
  io: CliIo,
  { command, ...options }: OpenOptions,
  work: (models: DeclaredModels) => Promise<T>,
): Promise<T> {
  const config = await storeConfig(command, flags, io);
  const { server: _, ...onStore } = flags;
  // Before anything that writes: a directory without a store must stay without one.
  await (await openForReading({ ...onStore, dataDir: config.dataDir }, io)).close();
  const logger = await openLineLog(io, flags.verbose === true ? 'debug' : 'warn');
  const { openDeclaredModels } = await import('../../daemon/declared-models.js');
  const models = await openDeclaredModels(config, logger, options);
  try {
    return await work(models);
  } finally {
    await models.close();
  }
}
