import type { Command } from 'commander';
import type { Resource } from '../../../model/resource.js';
import { emitTypes } from '../../../openapi/types/typescript.js';
import type { CliIo } from '../../io.js';
import { openLineLog } from '../../logging.js';
import { loadConfig, openForReading, findRemote, withVerbs, type GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

export function define(command: Command, context: CommandContext): void {
  command.action(async (_flags: unknown, self: Command) => {
    const flags = self.optsWithGlobals<GlobalFlags>();
    context.io.stdout.write(emitTypes(await modelsFor(flags, context.io)));
  });
  examples(command, ['xsvc types > models.d.ts', 'xsvc types --server http://127.0.0.1:8090 > models.d.ts']);
}

/** The models of the server, or else of the plugins; the store may also have models of removed plugins. */
async function modelsFor(flags: GlobalFlags, io: CliIo): Promise<readonly Resource[]> {
  if (findRemote(flags, io.env) !== undefined)
    return withVerbs(openForReading(flags, io), (verbs) => verbs.resources());
  const config = await loadConfig(flags, io);
  const logger = await openLineLog(io, flags.verbose === true ? 'debug' : 'warn');
  const { openDescription } = await import('../../../daemon/app.js');
  const opened = await openDescription(config, logger);
  try {
    return opened.models;
  } finally {
    await opened.close();
  }
}
