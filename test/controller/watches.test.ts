import { afterEach, describe, expect, it } from 'vitest';
import {
  AbstractExtension,
  BasePlugin,
  GVK,
  IndexSpecs,
  ownerReference,
  Schema,
  type Controller,
  type ControllerBuilder,
  type PluginContext,
  type Reconciler,
  type Request,
} from '../../src/index.js';
import { eventually, startTestService, type TestService } from '../../src/testing/index.js';
import { temporaryDirectory } from '../helpers/store.js';
import { MemoryLog } from './helpers.js';

const gvk = (kind: string, plural: string) => ({
  ...{ group: 'library.example.com', version: 'v1', kind, plural, singular: kind.toLowerCase() },
});

class BookSpec {
  @Schema({ type: 'string' }) shelf?: string;
}

@GVK(gvk('Book', 'books'))
class Book extends AbstractExtension {
  @Schema({ type: BookSpec, requiredMode: 'REQUIRED' }) spec!: { shelf?: string };
  shelf(): string | undefined {
    return this.spec.shelf;
  }
}

@GVK(gvk('Shelf', 'shelves'))
class Shelf extends AbstractExtension {}

/** What the controller of a test does. */
let describeController: (builder: ControllerBuilder<Shelf>) => ControllerBuilder<Shelf>;
/** The names that were reconciled, since the test cleared it. */
let reconciled: string[];

class ShelfReconciler implements Reconciler {
  constructor(readonly ctx: PluginContext) {}

  setupWith(builder: ControllerBuilder): Controller {
    return describeController(builder.extension(Shelf)).build();
  }

  reconcile({ name }: Request): void {
    reconciled.push(name);
  }
}

class BooksPlugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(Book);
  }
}

class ShelvesPlugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(Shelf);
  }
}

const shelves = { default: ShelvesPlugin, ShelfReconciler };
const services: TestService[] = [];

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

async function start(
  describe: typeof describeController,
  options: Parameters<typeof startTestService>[0] = {},
): Promise<TestService> {
  describeController = describe;
  reconciled = [];
  const service = await startTestService({ plugins: [BooksPlugin, shelves], ...options });
  services.push(service);
  await service.controllersSettled();
  return service;
}

/** The names that are reconciled because of some work, each once, in the order of the alphabet. */
async function reconciledBy(service: TestService, work: () => Promise<unknown>): Promise<string[]> {
  await service.controllersSettled();
  reconciled = [];
  await work();
  await service.controllersSettled();
  return [...new Set(reconciled)].sort();
}

const byShelf = (builder: ControllerBuilder<Shelf>): ControllerBuilder<Shelf> =>
  builder.watches(Book, (book) => {
    const shelf = book.shelf();
    return shelf === undefined ? [] : [{ name: shelf }];
  });

describe('a controller that watches a second model', () => {
  it('reconciles the names for created, changed, moved and removed objects', async () => {
    const service = await start(byShelf);
    const { client } = service;
    const work = (doing: () => Promise<unknown>): Promise<string[]> => reconciledBy(service, doing);
    const put = (name: string, shelf?: string): Promise<unknown> =>
      client.create(Book, { metadata: { name }, spec: { ...(shelf !== undefined && { shelf }) } });
    expect(await work(() => put('a', 'one'))).toEqual(['one']);
    expect(await work(() => put('b'))).toEqual([]);
    expect(
      await work(() => client.patch(Book, 'a', { metadata: { labels: { 'x.example.com/y': 'z' } } })),
    ).toEqual(['one']);
    expect(await work(() => client.patch(Book, 'a', { spec: { shelf: 'two' } }))).toEqual(['one', 'two']);
    expect(
      await work(() => client.patch(Book, 'a', { metadata: { finalizers: ['x.example.com/y'] } })),
    ).toEqual(['two']);
    expect(await work(() => client.delete(Book, 'a'))).toEqual(['two']);
    expect(await work(() => client.patch(Book, 'a', { metadata: { finalizers: null } }))).toEqual(['two']);
    expect(await work(() => client.create(Shelf, { metadata: { name: 'three' } }))).toEqual(['three']);
  });

  it('reconciles several names for one object, and each once for equal requests', async () => {
    const service = await start((builder) =>
      builder
        .watches(Book, () => [{ name: 'x' }, { name: 'y' }, { name: 'x' }])
        .watches(Book, () => [{ name: 'z' }]),
    );
    await reconciledBy(service, () => service.client.create(Book, { metadata: { name: 'a' }, spec: {} }));
    expect(reconciled.sort()).toEqual(['x', 'y', 'z']);
  });

  it('is not asked by its matchers about other models', async () => {
    const service = await start((builder) => byShelf(builder.onAddMatcher(() => false)));
    const create = () => service.client.create(Book, { metadata: { name: 'a' }, spec: { shelf: 'one' } });
    expect(await reconciledBy(service, create)).toEqual(['one']);
  });

  it.each<[string, (book: Book) => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no shelf for it');
      },
      'no shelf for it',
    ],
    [
      'returns a promise',
      () => Promise.reject(new Error('late')),
      'it must return an array of requests synchronously',
    ],
    ['returns nothing', () => undefined, 'it must return an array of requests synchronously'],
    ['returns texts', () => ['one'], 'it must return requests such as { name: "a" }'],
    ['returns an empty name', () => [{ name: '' }], 'it must return requests such as { name: "a" }'],
  ])('logs the object for which its function %s, and continues', async (_how, fail, error) => {
    const logger = new MemoryLog();
    const describe: typeof describeController = (builder) =>
      builder.watches(
        Book,
        (book) => (book.metadata.name === 'bad' ? fail(book) : [{ name: 'one' }]) as readonly Request[],
      );
    const service = await start(describe, { logger });
    const put = (name: string) => () => service.client.create(Book, { metadata: { name }, spec: {} });
    expect(await reconciledBy(service, put('bad'))).toEqual([]);
    expect(await reconciledBy(service, put('good'))).toEqual(['one']);
    expect(logger.matching('watches Book')).toEqual([
      {
        text: 'warn Controller "shelves-shelf-reconciler" watches Book, but its function failed for "bad", which is ignored',
        fields: expect.objectContaining({ error }) as object,
      },
    ]);
  });

  it('logs the place of the error of its function', async () => {
    const logger = new MemoryLog();
    const service = await start(
      (builder) =>
        builder.watches(Book, () => {
          throw new Error('no shelf for it');
        }),
      { logger },
    );
    const create = () => service.client.create(Book, { metadata: { name: 'a' }, spec: {} });
    expect(await reconciledBy(service, create)).toEqual([]);
    const stack = expect.stringContaining(import.meta.filename) as string;
    expect(logger.matching('watches Book')).toMatchObject([{ fields: { error: 'no shelf for it', stack } }]);
  });

  it('may change the objects that its function gets', async () => {
    const service = await start((builder) =>
      builder.watches(Book, (book) => {
        const name = book.spec.shelf ?? 'none';
        delete book.spec.shelf;
        return [{ name }];
      }),
    );
    const create = () => service.client.create(Book, { metadata: { name: 'a' }, spec: { shelf: 'one' } });
    expect(await reconciledBy(service, create)).toEqual(['one']);
    expect((await service.client.get(Book, 'a')).spec.shelf).toBe('one');
  });

  it('lists the other model again at each start, unless it does not sync', async () => {
    const dataDir = temporaryDirectory();
    const before = await startTestService({ models: [Book, Shelf], dataDir });
    const batch = Array.from({ length: 120 }, (_, i) => `book-${i}`);
    for (const name of batch)
      await before.client.create(Book, { metadata: { name }, spec: { shelf: `s-${name}` } });
    await before.close();
    const service = await start(byShelf, { dataDir });
    // No shelf exists, so the names come from the books.
    expect([...reconciled].sort()).toEqual(batch.map((name) => `s-${name}`).sort());
    await service.close();
    await start((builder) => byShelf(builder).syncAllOnStart(false), { dataDir });
    expect(reconciled).toEqual([]);
  });

  it('names the other models in its object', async () => {
    const service = await start((builder) => byShelf(builder).owns(Book));
    const answer = await service.fetch('/apis/controller.platform.run/v1alpha1/controllers');
    const { items } = (await answer.json()) as { items: { spec: unknown }[] };
    const book = { apiVersion: 'library.example.com/v1', kind: 'Book', plural: 'books' };
    expect(items.map(({ spec }) => spec).slice(-1)).toEqual([
      expect.objectContaining({ watches: [book, book] }),
    ]);
  });
});

describe('a controller that owns a second model', () => {
  it('reconciles the owner that manages an object, and no other owner', async () => {
    const service = await start((builder) => builder.owns(Book));
    const { client } = service;
    const [manager, other] = await Promise.all(
      ['manager', 'other'].map((name) => client.create(Shelf, { metadata: { name } })),
    );
    const work = (doing: () => Promise<unknown>): Promise<string[]> => reconciledBy(service, doing);
    const ownerReferences = [manager, other].flatMap((shelf, at) =>
      shelf === undefined ? [] : [ownerReference(shelf, at === 0 ? { controller: true } : {})],
    );
    const create = () => client.create(Book, { metadata: { name: 'a', ownerReferences }, spec: {} });
    expect(await work(create)).toEqual(['manager']);
    expect(await work(() => client.create(Book, { metadata: { name: 'b' }, spec: {} }))).toEqual([]);
    const left = ownerReferences.slice(1);
    const release = () => client.patch(Book, 'a', { metadata: { ownerReferences: left } });
    expect(await work(release)).toEqual(['manager']);
    expect(await work(() => client.delete(Book, 'a'))).toEqual([]);
  });

  it('reconciles nobody for an owner of the same kind in another group', async () => {
    const service = await start((builder) => builder.owns(Book));
    const owner = { apiVersion: 'other.example.com/v1', kind: 'Shelf', name: 'foreign', uid: 'u' };
    const metadata = { name: 'a', ownerReferences: [{ ...owner, controller: true }] };
    expect(await reconciledBy(service, () => service.client.create(Book, { metadata, spec: {} }))).toEqual(
      [],
    );
  });

  it('reconciles the owner of a removed object', async () => {
    const service = await start((builder) => builder.owns(Book));
    const { client } = service;
    const shelf = await client.create(Shelf, { metadata: { name: 'one' } });
    const ownerReferences = [ownerReference(shelf, { controller: true })];
    await client.create(Book, { metadata: { name: 'a', ownerReferences }, spec: {} });
    expect(await reconciledBy(service, () => client.delete(Book, 'a'))).toEqual(['one']);
  });
});

describe('a start is refused when a watched model', () => {
  const quiet = new MemoryLog();

  it('is not registered', async () => {
    const started = start(byShelf, { plugins: [shelves], logger: quiet });
    await expect(started).rejects.toThrow(
      'controller "shelf-reconciler" cannot watch Book: the model Book is not registered; register it, or enable its plugin and name that plugin in pluginDependencies',
    );
  });

  it('is not served because its objects share values', async () => {
    const dataDir = temporaryDirectory();
    const before = await startTestService({ models: [Book], dataDir });
    for (const name of ['a', 'b'])
      await before.client.create(Book, { metadata: { name }, spec: { shelf: 'x' } });
    await before.close();
    class AUniquePlugin extends BasePlugin {
      override start(): void {
        this.ctx.schemeManager.register(Book, (specs) => {
          const byShelf = IndexSpecs.single<Book, string>('spec.shelf', 'string');
          specs.add(byShelf.indexFunc((book) => book.spec.shelf).unique(true));
        });
      }
    }
    const started = start(byShelf, { plugins: [AUniquePlugin, shelves], dataDir, logger: quiet });
    await expect(started).rejects.toThrow(/controller "shelf-reconciler" cannot watch Book: .*spec\.shelf/s);
  });

  it.each<[string, (builder: ControllerBuilder<Shelf>) => unknown, RegExp]>([
    [
      'is no model',
      (builder) => builder.watches(class {}, () => []),
      /watches: a model class with @GVK is expected/,
    ],
    [
      'has no function',
      (builder) => builder.watches(Book, undefined as never),
      /watches: a function is expected, got undefined/,
    ],
    [
      'is no model that it owns',
      (builder) => builder.owns(undefined as never),
      /owns: a model class with @GVK is expected/,
    ],
  ])('%s', async (_what, describe, message) => {
    const started = start((builder) => describe(builder) as ControllerBuilder<Shelf>, { logger: quiet });
    await expect(started).rejects.toThrow(message);
  });
});

it('a watched model of another plugin is followed again when that plugin is enabled again', async () => {
  const service = await start(byShelf, { logger: new MemoryLog() });
  const setEnabled = async (enabled: boolean): Promise<void> => {
    const target = '/apis/plugin.platform.run/v1alpha1/plugins/books';
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const answer = await service.fetch(target, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ spec: { enabled } }),
    });
    expect(answer.status).toBe(200);
    await eventually(async () => {
      const { status } = (await (await service.fetch(target)).json()) as { status: { phase: string } };
      return status.phase === (enabled ? 'STARTED' : 'DISABLED');
    });
  };
  await setEnabled(false);
  await setEnabled(true);
  reconciled = [];
  await service.client.create(Book, { metadata: { name: 'a' }, spec: { shelf: 'one' } });
  await eventually(() => Promise.resolve(reconciled.includes('one')));
});
