import type { Command } from 'commander';
import { ownVersion } from '../../version.js';
import type { CliIo } from '../io.js';
import { escapeControls } from '../output/escape.js';
import { findRemote, type GlobalFlags } from '../session.js';
import { examples, type CommandContext } from './shared.js';

export function define(command: Command, context: CommandContext): void {
  command.action(async (_flags: unknown, self: Command) => {
    await version(self.optsWithGlobals<GlobalFlags>(), context.io);
  });
  examples(command, ['xsvc version', 'xsvc version --server http://127.0.0.1:8090']);
}

async function version(flags: GlobalFlags, io: CliIo): Promise<void> {
  io.stdout.write(`xsvc ${ownVersion()}\n`);
  const remote = findRemote(flags, io.env);
  if (remote === undefined) return;
  const { remoteVersion } = await import('../../client/http-verbs.js');
  const theirs = await remoteVersion(remote.url, remote);
  io.stdout.write(`server ${escapeControls(theirs ?? 'unknown')} (${remote.url})\n`);
}
