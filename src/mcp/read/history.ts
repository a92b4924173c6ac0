import type { HistoryItem, HistoryPage } from '../../service/verbs.js';
import { countFitting, ITEMS_BYTES_MAX, jsonBytes } from '../answer/bounds.js';
import { shortenChanges } from '../answer/changes.js';
import { CONTINUE, findModel, MODEL, NAME, readName } from '../names.js';
import { defineTool, READS, type ToolAnswer } from '../tool.js';

const PART = 50;

export const HISTORY_TOOL = defineTool({
  name: 'history',
  title: 'Show the changes of an object',
  description:
    'Lists the changes of one object, newest first: revision, time, user, verb and the changed fields. It also answers for a deleted object. `oldest` is the first revision that the log has.',
  parameters: { model: MODEL, name: NAME, continue: CONTINUE },
  ...READS,
  run: async ({ model, name, continue: token }, caller) => {
    const resource = await findModel(caller, model);
    const full = readName(resource, name);
    const read = (limit: number): Promise<HistoryPage> =>
      caller.reads.history(resource, full, { limit, ...(token !== undefined && { continue: token }) });
    const page = await read(PART);
    const count = countFitting(page.items);
    if (count === page.items.length) return answer(page, page.items);
    if (count > 0) {
      const shorter = await read(count);
      return answer(shorter, shorter.items);
    }
    const single = await read(1);
    return answer(single, single.items.map(shortened));
  },
});

function answer({ metadata, warnings }: HistoryPage, items: readonly HistoryItem[]): ToolAnswer {
  return {
    items,
    oldest: metadata.oldest,
    ...(metadata.continue !== undefined && { continue: metadata.continue }),
    ...(warnings !== undefined && { warnings }),
  };
}

/** A change that is larger than an answer, with sizes instead of its large values. */
function shortened(item: HistoryItem): HistoryItem {
  return {
    ...item,
    changes: shortenChanges(item.changes, ITEMS_BYTES_MAX - jsonBytes({ ...item, changes: [] })),
  };
}
