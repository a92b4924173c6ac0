import type { Logger } from '../../lib/log/logger.js';
import { workAfterChanges } from '../../lib/work/after-changes.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';

export interface StoredConfigurationsOptions {
  readonly service: Service;
  readonly logger: Logger;
  /** Their models. */
  readonly resources: readonly Resource[];
  /** Called with all objects of each model, in the order of the models, when one of them has changed. */
  readonly onChange: (objects: readonly (readonly ExtensionObject[])[]) => void;
}

/** Follows small numbers of stored objects. A write in this process is answered after `onChange`. */
export class StoredConfigurations {
  readonly #ending = new AbortController();
  #seen = '';
  #reading: Promise<void> = Promise.resolve();
  #following: Promise<void> | undefined;

  constructor(private readonly options: StoredConfigurationsOptions) {
    const { service, resources } = options;
    for (const resource of resources)
      service.afterWrites(resource, () => this.#read().catch(() => undefined));
  }

  async start(): Promise<void> {
    const { service, logger } = this.options;
    await this.#read();
    const follow = { store: service.store, logger, signal: this.#ending.signal };
    this.#following = workAfterChanges({ ...follow, purpose: 'follow admission configurations' }, () =>
      this.#read(),
    );
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#following;
  }

  /** One read after another, so that an earlier state never replaces a later one. */
  #read(): Promise<void> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#readChanged());
    return this.#reading;
  }

  async #readChanged(): Promise<void> {
    const { service, resources, onChange } = this.options;
    const { store, models } = service;
    const revisions: number[] = [];
    for (const one of resources) revisions.push(await store.modelRevision(models.table(one)));
    const seen = revisions.join();
    if (seen === this.#seen) return;
    const objects = await Promise.all(resources.map((one) => collect(service.listAll(one))));
    onChange(objects);
    this.#seen = seen;
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
