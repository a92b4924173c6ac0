import { expect, it } from 'vitest';
import { changesIn } from '../../src/cli/past/model-changes.js';
import type { ModelHistoryItem } from '../../src/service/verbs.js';

it('changes in a namespace are read up to the limit, and no further one', async () => {
  let read = 0;
  async function* log(): AsyncGenerator<ModelHistoryItem> {
    for (const namespace of ['one', 'two', 'one', 'two', 'two']) {
      read += 1;
      await Promise.resolve();
      yield {
        namespace,
        name: `change-${read}`,
        resourceVersion: `${read}`,
        time: '',
        verb: 'update',
        changes: [],
      };
    }
  }
  const found: string[] = [];
  for await (const { name } of changesIn(log(), { namespace: 'one', isGiven: true }, 2)) found.push(name);
  expect(found).toEqual(['change-1', 'change-3']);
  expect(read).toBe(3);
});
