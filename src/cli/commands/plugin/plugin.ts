import type { Command } from 'commander';
import { examples, type CommandContext } from '../shared.js';
import { definePluginInit } from './plugin-init.js';
import { definePluginList } from './plugin-list.js';
import { definePluginSwitch } from './plugin-switch.js';
import { definePluginUninstall } from './plugin-uninstall.js';

/** `xsvc plugin …`: each sub-command has its own file. */
export function define(command: Command, context: CommandContext): void {
  definePluginInit(command.command('init'), context);
  definePluginList(command.command('list'), context);
  definePluginSwitch(command.command('enable'), context, true);
  definePluginSwitch(command.command('disable'), context, false);
  definePluginUninstall(command.command('uninstall'), context);
  examples(command, [
    'xsvc plugin init note',
    'xsvc plugin list',
    'xsvc plugin disable person',
    'xsvc plugin uninstall person --export ./persons --yes',
  ]);
}
