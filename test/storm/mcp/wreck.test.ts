import { afterAll, expect, it } from 'vitest';
import { createExpressApp } from '../../../src/http/express-app.js';
import { listen } from '../../../src/http/server.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import type { BatchItem } from '../../../src/service/verbs.js';
import { closeAgents, connectAgent } from '../../helpers/agents.js';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, type TestService } from '../../helpers/store.js';
import { checkUndo, type UndoDoor } from '../../property/undo-run.js';

afterAll(removeDirectories);

const seed = seedOfRun();
const UNDONE = 1_000;

function toolItem(item: BatchItem): object {
  const { group, plural } = item.resource;
  const { resource: _, ...rest } = item;
  if ('type' in rest) {
    const { type: _type, ...patch } = rest;
    return { ...patch, model: `${plural}.${group}` };
  }
  return { ...rest, model: `${plural}.${group}` };
}

/** Writes by plans, as an agent does. */
async function openAgent({ service }: TestService): Promise<UndoDoor> {
  const app = createExpressApp({
    service,
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: false,
    version: '0.1.0',
    mcp: 'write',
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const agent = await connectAgent(server.url);
  return {
    async write(items) {
      const planned = await agent.call('plan', { items: items.map(toolItem) });
      if (planned.isError || planned.data.plan === undefined) return undefined;
      if (planned.data.items.every(({ verb, changes }) => verb !== 'delete' && isEmpty(changes)))
        return undefined;
      const applied = await agent.call('apply', { plan: planned.data.plan });
      return applied.isError ? undefined : String(applied.data.revision);
    },
    async undo(revision) {
      const { isError, text } = await agent.call('undo', { revision });
      if (isError) throw new Error(text);
    },
    async close() {
      await closeAgents();
      await server.close(0);
    },
  };
}

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0;

it(`${UNDONE} random plans of an agent, undone in reverse, leave every object as it was (SEED=${seed})`, async () => {
  let undone = 0;
  for (let run = 0; undone < UNDONE; run++)
    undone += await checkUndo(seed + run, { commits: 150, cascadeMax: 1_000 }, openAgent);
  expect(undone).toBeGreaterThanOrEqual(UNDONE);
}, 1_800_000);
