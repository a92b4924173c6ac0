import type { Command } from 'commander';
import { get, listFlags, watchFlags, type GetFlags } from './get.js';
import { examples, type CommandContext } from '../shared.js';

/** `get --watch` as a separate command. */
export function define(command: Command, context: CommandContext): void {
  command
    .argument('<resource>', 'plural, singular, kind or short name')
    .argument('[name]', 'name of one object to watch');
  listFlags(command);
  command.option('--watch-only', 'print changes, without the list');
  watchFlags(command);
  command.action(async (resource: string, name: string | undefined, _flags: unknown, self: Command) => {
    const flags = { ...self.optsWithGlobals<GetFlags>(), watch: true };
    context.exitCode = await get(name === undefined ? [resource] : [resource, name], flags, context.io);
  });
  examples(command, [
    'xsvc watch persons',
    'xsvc watch person ada -o yaml',
    'xsvc watch persons -l demo.example.com/team=blue --output-watch-events',
  ]);
}
