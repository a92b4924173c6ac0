import { FewAtOnce } from '../../lib/work/few-at-once.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { text } from '../../openapi/schema-parts.js';
import { check } from '../../store/check.js';
import type { Store } from '../../store/store.js';
import { sent } from '../answer/drain.js';
import { STALL_MS } from '../answer/list/list-response.js';
import { API_VERSION, type PlatformHandler, type PlatformEndpoint } from './endpoint.js';
import type { Platform } from './platform.js';

const RETRY_SECONDS = 5;

/** Sends each inconsistency as it is found. Without the last line the check was cut off. */
export const CHECKS: PlatformEndpoint = {
  method: 'POST',
  path: `/apis/${API_VERSION}/checks`,
  operation: {
    operationId: 'CheckStore',
    summary: 'Compare objects, indexes and log of the store',
    answer: {
      description:
        'A line for each inconsistency, `{kind, name, message}`; the last line is `{objects, models}`, the number compared.',
      content: { 'application/x-ndjson': { schema: text } },
    },
    errors: EVERYWHERE,
  },
  handler: checkHandler,
};

/** A check reads the whole store in one snapshot, so only one runs at a time. */
function checkHandler({ service: { store }, run, stallMs = STALL_MS }: Platform): PlatformHandler {
  const one = new FewAtOnce({
    max: 1,
    message: 'another check of the store is running; try again when it is done',
    retryAfterSeconds: RETRY_SECONDS,
  });
  return async (req, res) => {
    const end = one.begin();
    try {
      await run(req, res, async (work) => {
        res.type('application/x-ndjson');
        for await (const disagreement of check(store, work))
          if (!(await sent(res, getLine(disagreement), stallMs))) return;
        await sent(res, getLine(await countAll(store)), stallMs);
        res.end();
      });
    } finally {
      end();
    }
  };
}

async function countAll(store: Store): Promise<{ objects: number; models: number }> {
  const tables = store.allTables();
  let objects = 0;
  for (const { resource } of tables) objects += await store.getCount(resource);
  return { objects, models: tables.length };
}

function getLine(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
