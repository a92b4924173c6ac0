import { vi } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { wholeJson } from '../../src/http/answer/list/list-writer.js';
import type { ListOptions } from '../../src/query/list-options.js';
import type { Service } from '../../src/service/service.js';
import { LongObjects } from '../../src/service/read/listed-objects.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import { serveBare } from '../helpers/http.js';

/** A server whose answers from kept pages are counted. */
export interface PageReader {
  /** The text of a list; undefined when it was refused. */
  get(ref: ResourceRef, options: ListOptions): Promise<string | undefined>;
  /** Number of answers from kept pages. */
  sentAgain(): number;
  /** Number of times that a kept page outlived a change of the store. */
  renewed(): number;
  close(): Promise<void>;
}

export async function servePages(service: Service): Promise<PageReader> {
  const lists = vi.spyOn(service, 'listRaw');
  const renewals = vi.spyOn(service, 'renewPage');
  const server = await serveBare(service);
  let sentAgain = 0;
  return {
    async get(ref, options) {
      const before = lists.mock.calls.length;
      const answer = await server.get(`${pathOf(ref)}?${queryOf(options)}`);
      if (answer.status === 200 && lists.mock.calls.length === before) sentAgain++;
      return answer.status === 200 ? answer.text : undefined;
    },
    sentAgain: () => sentAgain,
    renewed: () =>
      renewals.mock.settledResults.filter(({ type, value }) => type === 'fulfilled' && value !== undefined)
        .length,
    async close() {
      await server.close();
      lists.mockRestore();
      renewals.mockRestore();
    },
  };
}

/** The same as {@link PageReader.get}, from the store. */
export async function readPage(
  service: Service,
  ref: ResourceRef,
  options: ListOptions,
): Promise<string | undefined> {
  try {
    const list = await service.listRaw(ref, options);
    if (list.objects instanceof LongObjects) throw new Error('the page is too long');
    return wholeJson(list, list.objects.flat()).toString();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function pathOf({ group, version, plural }: ResourceRef): string {
  return `/apis/${group}/${version}/${plural}`;
}

function queryOf(options: ListOptions): string {
  return new URLSearchParams(
    Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
