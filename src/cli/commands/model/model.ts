import type { Command } from 'commander';
import { defineModelDrop } from './model-drop.js';
import { defineModelList } from './model-list.js';
import { defineModelMigrate } from './model-migrate.js';
import { defineModelPlan } from './model-plan.js';
import { examples, type CommandContext } from '../shared.js';

/** `xsvc model …`: each sub-command has its own file. */
export function define(command: Command, context: CommandContext): void {
  defineModelList(command.command('list'), context);
  defineModelPlan(command.command('plan'), context);
  defineModelMigrate(command.command('migrate'), context);
  defineModelDrop(command.command('drop'), context);
  examples(command, [
    'xsvc model list',
    'xsvc model plan && xsvc serve',
    'xsvc model migrate Ticket',
    'xsvc model drop Ticket --version v1alpha1 --yes',
  ]);
}
