import type { DeclaredModels, DeclaredOptions } from '../../daemon/declared-models.js';
import { storeConfig } from '../commands/store/store-only.js';
import type { CliIo } from '../io.js';
import { openLineLog } from '../logging.js';
import { openForReading, type GlobalFlags } from '../session.js';

/** The options to open the store for commands about models. */
export interface OpenOptions extends DeclaredOptions {
  /** The command's name in messages. */
  readonly command: string;
}

/**
 * Runs work with the store and the models that the plugins declare, and always closes the store.
 * @throws UsageError when the command line names a server; ServiceError `ServiceUnavailable` without a store
 */
export async function withModels<T>(
  flags: GlobalFlags,
  io: CliIo,
  { command, ...options }: OpenOptions,
  work: (models: DeclaredModels) => Promise<T>,
): Promise<T> {
  const config = await storeConfig(command, flags, io);
  const { server: _, ...onStore } = flags;
  // Before any write: a directory without a store must not get one.
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
