import type { Command } from 'commander';
import { examples, type CommandContext } from '../shared.js';
import { defineTokenCreate } from './token-create.js';

/** `xsvc token …`: each sub-command has its own file. */
export function define(command: Command, context: CommandContext): void {
  defineTokenCreate(command.command('create'), context);
  examples(command, [
    'xsvc token create --user ci --role editor --ttl 30d',
    'xsvc get tokens',
    'xsvc delete token 0123456789abcdef0123   # requests with it are rejected from now on',
  ]);
}
