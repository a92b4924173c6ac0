import { group } from '../../command.js';
import { modelDrop } from './model-drop.js';
import { modelList } from './model-list.js';
import { modelMigrate } from './model-migrate.js';
import { modelPlan } from './model-plan.js';
import { modelRollback } from './model-rollback.js';

export const define = group(
  { list: modelList, plan: modelPlan, migrate: modelMigrate, rollback: modelRollback, drop: modelDrop },
  [
    'xsvc model list',
    'xsvc model plan && xsvc serve',
    'xsvc model migrate Ticket',
    'xsvc model rollback Ticket --to 2026-11-title',
    'xsvc model drop Ticket --version v1alpha1 --yes',
  ],
);
