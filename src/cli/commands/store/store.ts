import type { Command } from 'commander';
import { examples, type CommandContext } from '../shared.js';
import { defineStoreCopy } from './store-copy.js';

/** `xsvc store …`: operations on a store as a whole. */
export function define(command: Command, context: CommandContext): void {
  defineStoreCopy(command.command('copy'), context);
  examples(command, [
    'xsvc store copy --from lmdb:/var/lib/xsvc --to postgres://xsvc@db.example.com/xsvc?sslmode=verify-full',
  ]);
}
