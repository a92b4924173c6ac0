import type { ListAnswer } from '../../list/execute.js';
import type { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import { ConversionError, RemoteConversionError } from '../../model/evolve/conversion.js';
import type { ReadView } from '../../store/read-view.js';
import type { StoredObject } from '../../store/object-record.js';
import type { ObjectScope } from '../scope/object-scope.js';
import { ScopedModel } from '../scope/scoped-model.js';
import { SkippedObjects } from './skipped-objects.js';
import { type ModelView, type ShownObject, ViewReader } from './view.js';

/** Objects in one read: bounds the memory of a streamed list. */
const OBJECTS_CHUNK = 200;
/** Objects in the first step; later steps have about this many bytes. */
const VISITED_FIRST = 10;
const VISITED_BYTES = 256 * 1024;
/** Objects in a step that a program converts: each step is a call. */
const REMOTE_OBJECTS = 500;
/** The step ends with the object that exceeds this number of bytes. */
const REMOTE_BYTES = 4 * 1024 * 1024;
/** Objects that are converted in one step. */
const CONVERTED_MAX = 20;

export type Ids = ListAnswer['ids'];

/**
 * Objects that are read while they are consumed. One of both methods must be consumed, to the end or until the
 * generator is returned, because they keep the snapshot open.
 */
export class LongObjects {
  constructor(
    private readonly view: ReadView,
    private readonly reader: ObjectReader,
    private readonly ids: Ids,
    private readonly work: Work,
  ) {}

  /** True when all objects are returned as stored. */
  get isVerbatim(): boolean {
    return this.reader.isVerbatim;
  }

  /** Instead of reading them. */
  close(): void {
    this.view.close();
  }

  /** Copies, in chunks. */
  copies(): AsyncGenerator<readonly Buffer[], undefined> {
    return closing(this.view, this.#chunks());
  }

  /**
   * Calls back with each object, whose bytes are valid until the callback returns. Yields after some of them, so that
   * other work can run.
   */
  inPlace(visit: (json: Buffer) => void): AsyncGenerator<void, undefined> {
    return closing(this.view, this.isVerbatim ? this.#visits(visit) : this.#visitsOfCopies(visit));
  }

  async *#chunks(): AsyncGenerator<readonly Buffer[], undefined> {
    const seen = { objects: 0, bytes: 0 };
    const isRemote = this.reader.model.table.isRemote && !this.isVerbatim;
    for await (const ids of isRemote ? inPages(this.ids) : this.ids) {
      for (let at = 0; at < ids.length;) {
        this.work.check();
        const some = await this.#nextIds(ids, at, seen);
        const chunk = await this.reader.read(this.view, some);
        at += some.length;
        seen.objects += chunk.length;
        for (const json of chunk) seen.bytes += json.length;
        yield chunk;
      }
    }
  }

  async #nextIds(ids: readonly number[], at: number, seen: Seen): Promise<readonly number[]> {
    const { model, isVerbatim } = this.reader;
    if (isVerbatim) return ids.slice(at, at + OBJECTS_CHUNK);
    if (!model.table.isRemote) return ids.slice(at, at + getPart(seen));
    const page = ids.slice(at, at + REMOTE_OBJECTS);
    let bytes = 0;
    let count = 0;
    await this.view.visitMany(model.table, page, (json) => {
      if (bytes < REMOTE_BYTES) count++;
      bytes += json.length;
    });
    return page.slice(0, Math.max(1, count));
  }

  async *#visitsOfCopies(visit: (json: Buffer) => void): AsyncGenerator<void, undefined> {
    for await (const chunk of this.#chunks()) {
      for (const json of chunk) visit(json);
      yield;
    }
  }

  async *#visits(visit: (json: Buffer) => void): AsyncGenerator<void, undefined> {
    const seen = { objects: 0, bytes: 0 };
    for await (const ids of this.ids) {
      for (let at = 0; at < ids.length;) {
        const some = ids.slice(at, at + getPart(seen));
        this.work.check();
        await this.view.visitMany(this.reader.model.table, some, (json) => {
          seen.objects++;
          seen.bytes += json.length;
          visit(json);
        });
        at += some.length;
        yield;
      }
    }
  }
}

/** Reads the objects of one list in the requested version. */
export class ObjectReader {
  readonly unshown = new SkippedObjects();
  readonly #reader: ViewReader;
  readonly #scoped: ScopedModel | undefined;

  /** @param scope other objects and fields are left out. Default: none */
  constructor(
    readonly model: ModelView,
    private readonly work: Work,
    scope?: ObjectScope,
  ) {
    this.#reader = new ViewReader(model);
    this.#scoped = scope && new ScopedModel(model, scope);
  }

  get isVerbatim(): boolean {
    return this.model.isVerbatim && this.#scoped === undefined;
  }

  /** In the order of the ids; deleted objects and those that cannot be converted are left out. */
  async read(view: ReadView, ids: readonly number[]): Promise<Buffer[]> {
    return (await this.readEach(view, ids)).filter(isThere);
  }

  /** An object for each id; undefined for a deleted object and one that cannot be converted. */
  async readEach(view: ReadView, ids: readonly number[]): Promise<(Buffer | undefined)[]> {
    const stored = await view.readMany(this.model.table, ids);
    const shown = this.model.isVerbatim ? stored.map(bytesOf) : await this.#convert(stored);
    const scoped = this.#scoped;
    if (scoped === undefined) return shown;
    return shown.map((json, i) => {
      const bytes = bytesOf(stored[i]);
      return json && bytes && scoped.show(json, bytes);
    });
  }

  async #convert(stored: readonly (StoredObject | undefined)[]): Promise<(Buffer | undefined)[]> {
    this.unshown.nextChunk();
    const shown: (Buffer | undefined)[] = [];
    const yielder = new Yielder(this.work);
    return this.model.withHeld(stored.map(bytesOf).filter(isThere), async () => {
      for (let at = 0; at < stored.length; at += CONVERTED_MAX) {
        if (yielder.isDue) await yielder.take();
        const some = stored.slice(at, at + CONVERTED_MAX).map(bytesOf);
        const converted = this.#reader.read(some.filter(isThere)).values();
        for (const json of some) shown.push(json && this.#orUnshown(converted.next().value));
      }
      return shown;
    });
  }

  /** @throws RemoteConversionError because clients would take an object that is left out for a deleted one */
  #orUnshown(one: ShownObject | undefined): Buffer | undefined {
    if (!(one instanceof ConversionError)) return one;
    if (one instanceof RemoteConversionError) throw one;
    this.unshown.add(one);
    return undefined;
  }
}

/** The part of a list that was read. */
interface Seen {
  readonly objects: number;
  readonly bytes: number;
}

/** The ids in pages for a program. */
async function* inPages(chunks: Ids): AsyncGenerator<readonly number[]> {
  let page: number[] = [];
  for await (const ids of chunks) {
    page.push(...ids);
    while (page.length >= REMOTE_OBJECTS) {
      yield page.slice(0, REMOTE_OBJECTS);
      page = page.slice(REMOTE_OBJECTS);
    }
  }
  if (page.length > 0) yield page;
}

/** Number of objects for the next step, from the size of earlier ones: the caller should keep little in memory. */
function getPart({ objects, bytes }: Seen): number {
  if (objects === 0) return VISITED_FIRST;
  return Math.max(1, Math.min(OBJECTS_CHUNK, Math.floor((VISITED_BYTES * objects) / bytes)));
}

function bytesOf(object: StoredObject | undefined): Buffer | undefined {
  return object?.bytes;
}

function isThere(json: Buffer | undefined): json is Buffer {
  return json !== undefined;
}

/** Closes the view when the generator ends, also when it is returned before its start. */
function closing<T>(view: ReadView, inner: AsyncGenerator<T, undefined>): AsyncGenerator<T, undefined> {
  const ended = <R extends IteratorResult<T, undefined>>(result: R): R => {
    if (result.done === true) view.close();
    return result;
  };
  const failed = (error: unknown): never => {
    view.close();
    throw error;
  };
  return {
    next: () => inner.next().then(ended, failed),
    return: () => inner.return(undefined).then(ended, failed),
    throw: (error) => inner.throw(error).then(ended, failed),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
