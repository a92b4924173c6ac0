import type { Work } from '../../lib/work/work.js';
import type { ListOptions } from '../../query/list-options.js';
import type { ServiceContext } from '../context.js';
import { getExplanation, withCosts } from './explanation.js';
import { find } from './list.js';
import type { ListExplanation } from '../verbs.js';
import type { ModelView } from './view.js';

/**
 * Explains the plan of a list by running it without reading the objects.
 * @throws ServiceError as the list would
 */
export async function explain(
  context: ServiceContext,
  asked: ModelView,
  options: ListOptions,
  work?: Work,
): Promise<ListExplanation> {
  const found = await find(context, asked, options, { work });
  try {
    let objects = 0;
    for await (const ids of found.answer.ids) objects += ids.length;
    return getExplanation(found, objects);
  } catch (error) {
    throw withCosts(error, found.answer.stats, found.model.resource);
  } finally {
    found.view.close();
  }
}
