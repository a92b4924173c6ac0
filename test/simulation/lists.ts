import { wholeJson } from '../../src/http/answer/list/list-writer.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { LongObjects } from '../../src/service/read/listed-objects.js';
import type { ListMetadata, ResourceRef } from '../../src/service/verbs.js';
import type { Question } from './history.js';
import type { Server } from './world.js';

/** The options of a list. */
export function listOptions({ level, sort, page, size }: Question): ListOptions {
  return {
    fieldSelector: `spec.level>=${level}`,
    ...(sort && { sort: 'spec.level' }),
    ...(page !== undefined && size !== undefined && { page, size }),
  };
}

export interface AnsweredList {
  readonly metadata: ListMetadata;
  readonly total: number;
  readonly items: readonly ExtensionObject[];
}

/** Answers a list as the service does over HTTP: from the kept pages when one is still right. */
export async function answerList(
  { service, lists }: Server,
  model: ResourceRef,
  options: ListOptions,
): Promise<AnsweredList> {
  const key = JSON.stringify([model.kind, options]);
  const kept = await lists.find(key, await service.store.stamp());
  if (kept !== undefined) return JSON.parse(kept.toString()) as AnsweredList;
  const list = await service.listRaw(model, options, { keep: true });
  if (list.objects instanceof LongObjects) throw new Error('the page is too long');
  const body = wholeJson(list, list.objects.flat());
  if (list.kept !== undefined) lists.put(key, { page: list.kept, stamp: list.stamp, body });
  return JSON.parse(body.toString()) as AnsweredList;
}
