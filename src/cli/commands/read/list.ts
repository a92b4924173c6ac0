import type { Command } from 'commander';
import { UsageError } from '../../exit.js';
import { get, listFlags, type GetFlags } from './get.js';
import { examples, type CommandContext } from '../shared.js';

export function define(command: Command, context: CommandContext): void {
  command.argument('<resource>', 'plural, singular, kind or short name');
  listFlags(command);
  command.action(async (resource: string, _flags: unknown, self: Command) => {
    if (resource.includes('/')) throw new UsageError('list takes no names; use xsvc get');
    context.exitCode = await get([resource], self.optsWithGlobals<GetFlags>(), context.io);
  });
  examples(command, [
    'xsvc list persons',
    'xsvc list persons -o json --size 100 --page 2',
    'xsvc list persons --sort spec.age --size 20 --explain',
    "xsvc list persons --field-selector 'spec.age!=30' --sort spec.age",
  ]);
}
