import type { Config } from '../../../config.js';
import { UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { loadConfig, findRemote, type GlobalFlags } from '../../session.js';

/**
 * The configuration for a command that works on a store alone.
 * @throws UsageError when the command line names a server
 */
export async function storeConfig(command: string, flags: GlobalFlags, io: CliIo): Promise<Config> {
  // A server in the environment is no reason to refuse: the command never uses one.
  if (flags.server !== undefined && findRemote(flags, io.env) !== undefined) {
    throw new UsageError(
      `${command} works on a store, not on a server; use --data-dir on the machine of the store`,
    );
  }
  return loadConfig(flags, io);
}
