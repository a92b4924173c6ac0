import { afterAll, beforeAll, describe } from 'vitest';
import { openReplicated } from '../../../src/engines/replicated/engine.js';
import type { OpenLog } from '../../engines/shared-log-suite.js';
import { registerModels } from '../../helpers/models.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../../helpers/store.js';
import { openEmptied } from '../../suites/one-store.js';
import { verbsSuite } from '../../suites/verbs.js';

/** The verbs suite on one store in a shared log. */
export function verbsOn(name: string, makeStore: () => Promise<OpenLog>): void {
  describe(`on ${name}`, () => {
    let test: TestService;
    beforeAll(async () => {
      const openLog = await makeStore();
      const engine = await openReplicated(await openLog(), temporaryDirectory());
      test = await openTestService(undefined, {}, { engine });
      await registerModels(test);
    });
    afterAll(async () => {
      await test.close();
      removeDirectories();
    });
    verbsSuite('the service', () => openEmptied(test));
  });
}
