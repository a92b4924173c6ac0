import type { Express } from 'express';
import { FewAtOnce } from '../../lib/work/few-at-once.js';
import { check } from '../../store/check.js';
import type { Store } from '../../store/store.js';
import type { RunWork } from '../admission/admission.js';
import { sent } from '../answer/drain.js';
import { refuseMethod } from '../guards/methods.js';

/** The path for checking the store. For roles this is `create` of `checks` in `api.platform.run`. */
export const CHECKS_PATH = '/apis/api.platform.run/v1alpha1/checks';

const RETRY_SECONDS = 5;

/**
 * `POST` compares objects, indexes and log in one snapshot, and answers with a JSON line for each inconsistency as it
 * is found. The last line has the number of compared items: without it the check was cut off. A check reads the whole
 * store, so only one runs at a time.
 */
export function addChecks(
  app: Express,
  store: Store,
  { run, stallMs }: { readonly run: RunWork; readonly stallMs: number },
): void {
  const one = new FewAtOnce({
    max: 1,
    message: 'another check of the store is running; try again when it is done',
    retryAfterSeconds: RETRY_SECONDS,
  });
  app
    .route(CHECKS_PATH)
    .post(async (req, res) => {
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
    })
    .all((req, res) => {
      throw refuseMethod(res, req.method, ['POST']);
    });
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
