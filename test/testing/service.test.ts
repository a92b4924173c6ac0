import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  AbstractExtension,
  BasePlugin,
  GVK,
  IndexSpecs,
  RouteBuilder,
  type Controller,
  type ControllerBuilder,
  type CustomEndpoint,
  type PluginContext,
  type Reconciler,
  type Result,
  type RouteSet,
  type VersionOptions,
} from '../../src/index.js';
import {
  eventually,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from '../../src/testing/index.js';
import { EXAMPLE_PLUGINS, FIXTURE_PLUGINS } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

@GVK({ group: 'test.example.com', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })
class Note extends AbstractExtension {
  static schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      status: { type: 'object', properties: { length: { type: 'integer' } } },
    },
  };
  declare spec: { text: string };
  declare status?: { length: number };
}

@GVK({ group: 'test.example.com', version: 'v1alpha1', kind: 'Note', plural: 'notes', singular: 'note' })
class OldNote extends AbstractExtension {
  static schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { words: { type: 'array', items: { type: 'string' } } } },
    },
  };
  declare spec: { words: string[] };
}

class NotesPlugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(Note);
  }
}

/** Writes how long each text is. Texts that say so make it fail, come again later, or take long. */
class NoteReconciler implements Reconciler {
  constructor(private readonly ctx: PluginContext) {}
  setupWith(builder: ControllerBuilder): Controller {
    return builder.extension(Note).minDelay(5).maxDelay(20).build();
  }
  async reconcile({ name }: { readonly name: string }): Promise<Result | undefined> {
    const note = await this.ctx.client.fetch(Note, name);
    if (note === undefined) return undefined;
    if (note.spec.text === 'fail') throw new Error('cannot count');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { length } = note.spec.text;
    if (note.status?.length !== length) {
      note.status = { length };
      await this.ctx.client.updateStatus(note);
    }
    return note.spec.text === 'later' ? { requeue: true, retryAfterMs: 3_600_000 } : undefined;
  }
}

class NoteEndpoint implements CustomEndpoint {
  constructor(private readonly ctx: PluginContext) {}
  groupVersion(): string {
    return 'api.test.example.com/v1';
  }
  endpoint(): RouteSet {
    return RouteBuilder.route()
      .GET(
        '/notes/-/color',
        () => ({ color: this.ctx.config }),
        (d) => d.operationId('GetNoteColor'),
      )
      .build();
  }
}

const notesModule = { default: NotesPlugin, NoteReconciler, NoteEndpoint };
const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});
afterAll(removeDirectories);

async function start(options: TestServiceOptions): Promise<TestService> {
  const service = await startTestService(options);
  services.push(service);
  return service;
}

describe('a service for a test', () => {
  it('runs a plugin that lies in a directory, with its declared objects', async () => {
    const service = await start({ plugins: [path.join(EXAMPLE_PLUGINS, 'person')] });
    const answer = await service.fetch('/apis/demo.example.com/v1alpha1/persons?sort=spec.age');
    const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['cleo', 'ada', 'bert']);
    const person = { group: 'demo.example.com', version: 'v1alpha1', kind: 'Person' };
    expect(await service.client.count(person)).toBe(3);
  });

  it('runs models without a plugin, with their indexes', async () => {
    const byText = IndexSpecs.single<Note, string>('spec.text', 'string').indexFunc((n) => n.spec.text);
    const service = await start({ models: [[Note, (specs) => void specs.add(byText)]] });
    for (const name of ['a', 'b']) {
      const sent = { metadata: { name }, spec: { text: `text ${name}` } };
      const answer = await service.fetch('/apis/test.example.com/v1/notes', { method: 'POST', json: sent });
      expect(answer.status).toBe(201);
    }
    const { items } = await service.client.list(Note, { fieldSelector: 'spec.text=text b' });
    expect(items.map((note) => [note instanceof Note, note.metadata.name])).toEqual([[true, 'b']]);
  });

  it('runs models with versions and migrations, also on objects stored before', async () => {
    const dataDir = temporaryDirectory();
    const first = await startTestService({ models: [Note], dataDir });
    await first.client.create(Note, { metadata: { name: 'n' }, spec: { text: 'some text' } });
    await first.close();
    const loud = { id: 'loud', up: ({ spec }: Note) => ({ spec: { text: spec.text.toUpperCase() } }) };
    const old: VersionOptions<Note, OldNote> = {
      model: OldNote,
      up: ({ spec }) => ({ spec: { text: spec.words.join(' ') } }),
      down: ({ spec }) => ({ spec: { words: spec.text.split(' ') } }),
    };
    const service = await start({
      models: [[Note, undefined, { versions: [old], migrations: [loud] }]],
      dataDir,
    });
    expect((await service.client.get(Note, 'n')).spec).toEqual({ text: 'SOME TEXT' });
    expect((await service.client.get(OldNote, 'n')).spec).toEqual({ words: ['SOME', 'TEXT'] });
    const answer = await service.fetch('/apis/test.example.com/v1alpha1/notes/n');
    expect(await answer.json()).toMatchObject({ spec: { words: ['SOME', 'TEXT'] } });
    const history = await service.fetch('/apis/test.example.com/v1/notes/n/history');
    const { items } = (await history.json()) as { items: { user?: string }[] };
    expect(items.map(({ user }) => user)).toEqual(['system:migration:loud', undefined]);
  });

  it('runs an imported plugin with its endpoints, and gives it its configuration', async () => {
    const service = await start({
      plugins: [notesModule],
      settings: { pluginConfig: { notes: 'yellow' } },
    });
    const answer = await service.fetch('/apis/api.test.example.com/v1/notes/-/color');
    expect(await answer.json()).toEqual({ color: 'yellow' });
  });

  it('waits until controllers have seen and handled every change', async () => {
    const service = await start({ plugins: [notesModule] });
    for (let i = 0; i < 20; i += 1)
      await service.client.create(Note, { metadata: { name: `n${i}` }, spec: { text: 'abc' } });
    await service.controllersSettled();
    const { items } = await service.client.list(Note);
    expect(items.map(({ status }) => status?.length)).toEqual(Array.from({ length: 20 }, () => 3));
  });

  it('does not wait for an object that a controller wants to read again later', async () => {
    const service = await start({ plugins: [notesModule] });
    await service.client.create(Note, { metadata: { name: 'n' }, spec: { text: 'later' } });
    await service.controllersSettled();
    expect((await service.client.get(Note, 'n')).status).toEqual({ length: 5 });
  });

  it('reports the error of a controller that does not come to rest', async () => {
    const quiet = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };
    const service = await start({ plugins: [notesModule], logger: quiet });
    await service.client.create(Note, { metadata: { name: 'n' }, spec: { text: 'fail' } });
    await expect(service.controllersSettled({ timeoutMs: 2_000 })).rejects.toThrow(
      /was not met within 2000 ms: controller ".+": .*; its last error, for "n": cannot count/,
    );
  });

  it('is over when it is closed: no store is left, and a given one can be served again', async () => {
    const dataDir = temporaryDirectory();
    const first = await startTestService({ models: [Note], dataDir });
    await first.client.create(Note, { metadata: { name: 'kept' }, spec: { text: 'x' } });
    await first.close();
    await first.close();
    await expect(first.fetch('/livez')).rejects.toThrow();
    const second = await start({ models: [Note], dataDir });
    expect(await second.client.listNames(Note)).toEqual(['kept']);
    expect(existsSync(dataDir)).toBe(true);
  });

  it('sends the token of the first user where tokens are asked for', async () => {
    const service = await start({ models: [Note], settings: { auth: 'token' } });
    const target = '/apis/test.example.com/v1/notes';
    expect((await service.fetch(target)).status).toBe(200);
    const headers = { Authorization: 'Bearer nobody' };
    expect((await service.fetch(target, { headers })).status).toBe(401);
  });

  it('does not start when a plugin fails, a setting is unknown, or two plugins have one name', async () => {
    const quiet = { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 };
    const failing = path.join(FIXTURE_PLUGINS, 'throwing-start');
    await expect(startTestService({ plugins: [failing], logger: quiet })).rejects.toThrow(
      'plugin "throwing-start": ',
    );
    await expect(startTestService({ settings: { plugin: [] } })).rejects.toThrow('unknown setting "plugin"');
    await expect(startTestService({ plugins: [NotesPlugin, notesModule] })).rejects.toThrow(
      'Two plugins are named "notes"',
    );
  });
});

describe('eventually', () => {
  it('gives the first answer that is something', async () => {
    const answers = [undefined, false, null, 0, 1];
    expect(await eventually(() => answers.shift())).toBe(0);
  });

  it('reports the last thrown error when the time is over', async () => {
    const look = (): never => expect.fail('not yet');
    await expect(eventually(look, { timeoutMs: 30 })).rejects.toThrow('within 30 ms: not yet');
    await expect(eventually(() => false, { timeoutMs: 30 })).rejects.toThrow('the last answer was false');
  });
});
