import { afterAll } from 'vitest';
import { registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories } from '../helpers/store.js';
import { verbsSuite, type VerbsDoor } from '../suites/verbs.js';

afterAll(removeDirectories);

async function open(): Promise<VerbsDoor> {
  const t = await openTestService();
  await registerModels(t);
  return { verbs: t.service, check: () => t.check(), close: () => t.close() };
}

verbsSuite('the service', open);
