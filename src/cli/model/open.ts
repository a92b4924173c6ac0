import type { DeclaredModels, DeclaredOptions } from '../../daemon/offline/declared-models.js';
import type { CliIo } from '../io.js';
import type { GlobalFlags } from '../flags.js';
import { openCommandLog, existingStore } from '../session.js';

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
  const config = await existingStore(command, flags, io);
  const logger = await openCommandLog(flags, io);
  const { openDeclaredModels } = await import('../../daemon/offline/declared-models.js');
  const models = await openDeclaredModels(config, logger, options);
  try {
    return await work(models);
  } finally {
    await models.close();
  }
}
