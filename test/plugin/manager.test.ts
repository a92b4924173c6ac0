import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { badRequest } from '../../src/errors.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { Scheme } from '../../src/model/declare/scheme.js';
import { stopCompiler } from '../../src/plugin/bundle.js';
import type { DeclaredInstance } from '../../src/plugin/declared.js';
import type { PluginSource } from '../../src/plugin/discover.js';
import type { PluginManifest } from '../../src/plugin/manifest/manifest.js';
import type { PluginHost, PreparedComponents } from '../../src/plugin/plugin-host.js';
import { PluginManager, type PluginManagerOptions } from '../../src/plugin/manager.js';
import type { ModelStatus, PluginStatus } from '../../src/plugin/plugin-model.js';
import { example, fixture, hostModules, temporaryDirectory } from './helpers.js';

afterAll(stopCompiler);
afterEach(() => {
  vi.useRealTimers();
});

type Logger = PluginHost['logger'];

/** A service of which only what plugins see exists, in memory. */
class MemoryHost implements PluginHost {
  readonly registry = new SchemeRegistry();
  readonly open = new Set<string>();
  readonly declared = new Map<string, readonly DeclaredInstance[]>();
  readonly reports: [string, PluginStatus][] = [];
  readonly log: string[] = [];
  readonly disabled = new Set<string>();
  platformPlugins: readonly string[] = [];
  readonly logger: Logger = {
    debug: (message) => void this.log.push(`debug ${message}`),
    info: (message) => void this.log.push(`info ${message}`),
    warn: (message) => void this.log.push(`warn ${message}`),
    error: (message) => void this.log.push(`error ${message}`),
  };

  async activate({ resource }: Scheme): Promise<void> {
    this.open.add(resource.plural);
  }

  async deactivate({ resource }: Scheme): Promise<void> {
    this.open.delete(resource.plural);
  }

  async applyDeclared(plugin: PluginManifest, instances: readonly DeclaredInstance[]): Promise<void> {
    this.declared.set(plugin.metadata.name, instances);
  }

  eventsFor(): ReturnType<PluginHost['eventsFor']> {
    return {
      record: (object, type, reason) => void this.log.push(`event ${object.metadata.name} ${type} ${reason}`),
    };
  }

  clientFor({ metadata: { name } }: PluginManifest): ReturnType<PluginHost['clientFor']> {
    return new Proxy(Object.create(null) as ReturnType<PluginHost['clientFor']>, {
      get: (_, verb): never => {
        throw new Error(`${name} has no client here, but called ${String(verb)}`);
      },
    });
  }

  async modelStatus({ resource }: Scheme): Promise<ModelStatus> {
    const { group, kind, plural, version } = resource;
    return { group, kind, plural, version, versions: [version], objects: 0, unfit: 0 };
  }

  async report(name: string, _manifest: unknown, status: PluginStatus): Promise<void> {
    this.reports.push([name, status]);
  }

  async reportMissing(): Promise<void> {
    // No other plugin has an object.
  }

  async isEnabled(name: string): Promise<boolean> {
    return !this.disabled.has(name);
  }

  loggerFor(): Logger {
    return this.logger;
  }

  now(): Date {
    return new Date('2026-11-20T08:00:00.123Z');
  }

  config(): unknown {
    return undefined;
  }

  phasesOf(name: string): string[] {
    return this.reports.filter(([of]) => of === name).map(([, status]) => status.phase);
  }
}

async function started(
  names: readonly string[],
  host = new MemoryHost(),
  options: Partial<PluginManagerOptions> = {},
) {
  const plugins = await Promise.all(names.map(fixture));
  return startedFrom(plugins, host, options);
}

async function startedFrom(
  plugins: readonly PluginSource[],
  host = new MemoryHost(),
  options: Partial<PluginManagerOptions> = {},
) {
  const manager = new PluginManager(host, {
    hostModules,
    cacheDirectory: await temporaryDirectory(),
    startTimeoutMs: 5_000,
    stopTimeoutMs: 100,
    ...options,
  });
  const failed = await manager.startAll({ plugins, broken: [] });
  return { manager, host, failed: failed.map((plugin) => plugin.name) };
}

describe('a start', () => {
  it('goes through its phases and ends with open models and declared instances', async () => {
    const { manager, host, failed } = await started(['declares']);
    expect(failed).toEqual([]);
    expect(host.phasesOf('declares')).toEqual(['PENDING', 'RESOLVED', 'STARTED']);
    expect([...host.open]).toEqual(['flowers']);
    expect(host.declared.get('declares')?.map(({ object }) => object.metadata.name)).toEqual([
      'flower-reader',
      'rose',
      'tulip',
      'daisy',
    ]);
    expect(host.log).toEqual([
      'debug Plugin "declares" starts',
      expect.stringContaining('groupVersion is deprecated'),
    ]);
    expect(manager.find('declares')?.status).toMatchObject({
      phase: 'STARTED',
      endpoints: [],
      lastStartTime: '2026-11-20T08:00:00.123Z',
    });
    expect(host.reports.at(-1)?.[1].models).toMatchObject([
      { group: 'declares.example.com', plural: 'flowers', version: 'v1', versions: ['v1'] },
    ]);
    expect(manager.started.map(({ name }) => name)).toEqual(['declares']);
    expect(manager.find('nobody')).toBeUndefined();
  });

  it('of the examples ends well', async () => {
    const examples = await Promise.all(['person', 'catalogue', 'bookmark'].map(example));
    const { host, failed } = await startedFrom(examples);
    expect(failed).toEqual([]);
    expect([...host.open].sort()).toEqual(['bookmarks', 'packages', 'persons']);
  });

  it('takes declared instances of the examples that their own models accept', async () => {
    const examples = await Promise.all(['person', 'catalogue', 'bookmark'].map(example));
    const { host } = await startedFrom(examples);
    const objects = [...host.declared.values()]
      .flat()
      .map(({ object }) => object)
      // The service has the model of webhooks.
      .filter(({ kind }) => kind !== 'Webhook');
    for (const object of objects) {
      const scheme = host.registry.schemes().find(({ resource }) => resource.kind === object.kind);
      expect(scheme?.validate(structuredClone(object))).toEqual({ causes: [], unknown: [] });
    }
    expect(objects).toHaveLength(10);
  });

  it('with registerOnly opens the models and does nothing else', async () => {
    const { manager, host } = await started(['declares'], new MemoryHost(), { registerOnly: true });
    expect([...host.open]).toEqual(['flowers']);
    expect(host.declared.size).toBe(0);
    expect(host.reports).toEqual([]);
    expect(manager.find('declares')?.status.phase).toBe('STARTED');
  });

  it('is not tried for a plugin that is switched off', async () => {
    const host = new MemoryHost();
    host.disabled.add('declares');
    await started(['declares'], host);
    expect(host.phasesOf('declares')).toEqual(['PENDING', 'DISABLED']);
    expect(host.open.size).toBe(0);
  });
});

describe('a failing start', () => {
  it('takes back what was registered, keeps the message, and lets the others start', async () => {
    const { manager, host, failed } = await started(['throwing-start', 'declares']);
    expect(failed).toEqual(['throwing-start']);
    expect(manager.find('throwing-start')?.status).toMatchObject({
      phase: 'FAILED',
      message: 'the crate is empty',
      lastStartTime: '2026-11-20T08:00:00.123Z',
    });
    expect(host.reports.at(-1)?.[1].models).toEqual([]);
    expect(host.registry.schemes().map(({ resource }) => resource.plural)).toEqual(['flowers']);
    expect(manager.find('declares')?.status.phase).toBe('STARTED');
  });

  it('leaves its dependents waiting, with a message that names it', async () => {
    const { manager } = await started(['after-throwing', 'throwing-start']);
    expect(manager.find('after-throwing')?.status).toMatchObject({
      phase: 'PENDING',
      message: 'waits for plugin "throwing-start", which is FAILED',
    });
  });

  it('is one that does not end in time', async () => {
    // Loading has the same limit, and takes as long as the machine lets it.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const host = new MemoryHost();
    const starting = started(['hanging-start'], host, { startTimeoutMs: 1_000 });
    await expect.poll(() => host.registry.schemes().length).toBe(1);
    vi.advanceTimersByTime(999);
    expect(host.phasesOf('hanging-start')).toEqual(['PENDING']);
    vi.advanceTimersByTime(1);
    const { manager } = await starting;
    expect(manager.find('hanging-start')?.status.message).toBe('start() did not end within 1000 ms');
    expect(host.registry.schemes()).toEqual([]);
  });

  it('closes the models again when one of them cannot be opened or the declared instances are refused', async () => {
    class Refusing extends MemoryHost {
      override async applyDeclared(): Promise<void> {
        throw new Error('a rose is no flower');
      }
    }
    const { manager, host } = await started(['declares'], new Refusing());
    expect(manager.find('declares')?.status).toMatchObject({
      phase: 'FAILED',
      message: 'a rose is no flower',
    });
    expect(host.open.size).toBe(0);
    expect(host.registry.schemes()).toEqual([]);
  });

  it.each([
    ['no-default', 'needs a default export'],
    ['not-a-plugin', 'does not extend BasePlugin|is not a class that extends BasePlugin'],
    ['syntax-error', 'index\\.ts:5:1'],
    ['wrong-import', 'No matching export'],
    ['broken-model', 'NotAModel'],
    ['reserved-group', 'crown\\.platform\\.run'],
  ])('of %s says why', async (name, why) => {
    const { manager, host } = await started([name]);
    expect(manager.find(name)?.status.phase).toBe('FAILED');
    expect(manager.find(name)?.status.message).toMatch(new RegExp(why));
    expect(host.registry.schemes()).toEqual([]);
  });

  it('names the cycle of dependencies, and who waits for it', async () => {
    const { manager } = await started(['cycle-a', 'cycle-b', 'cycle-c', 'after-cycle']);
    expect(manager.find('cycle-b')?.status.message).toBe(
      'is part of a dependency cycle: cycle-b -> cycle-c -> cycle-a -> cycle-b',
    );
    expect(manager.find('after-cycle')?.status).toMatchObject({
      phase: 'PENDING',
      message: 'waits for plugin "cycle-a", which is FAILED',
    });
  });
});

describe('components', () => {
  class WithRoutes extends MemoryHost {
    readonly live = new Set<string>();

    async prepare({ name }: { readonly name: string }): Promise<PreparedComponents> {
      this.live.add(name);
      if (name === 'js-esm') throw new Error('/apis/taken collides');
      return { paths: ['/apis/api.declares.example.com/v1/bouquets'], goLive: () => undefined };
    }

    async withdraw({ name }: { readonly name: string }): Promise<void> {
      this.live.delete(name);
    }
  }

  it('go live last, are listed in the status, and are withdrawn on stop', async () => {
    const host = new WithRoutes();
    const { manager } = await started(['declares'], host);
    expect(manager.find('declares')?.status.endpoints).toEqual([
      '/apis/api.declares.example.com/v1/bouquets',
    ]);
    await manager.stopAll();
    expect(host.live.size).toBe(0);
  });

  it('that cannot go live fail the start and are withdrawn', async () => {
    const host = new WithRoutes();
    const { manager } = await started(['js-esm'], host);
    expect(manager.find('js-esm')?.status).toMatchObject({
      phase: 'FAILED',
      message: '/apis/taken collides',
    });
    expect(host.live.size).toBe(0);
  });
});

describe('a plugin with a bad manifest', () => {
  it('is kept as failed beside the others, and only reported under a name that an object can have', async () => {
    const host = new MemoryHost();
    const manager = new PluginManager(host, { hostModules, cacheDirectory: await temporaryDirectory() });
    const error = badRequest('plugin.yaml:1: no');
    const broken = ['sad', 'Not_A_Name'].map((name) => ({ name, directory: `/somewhere/${name}`, error }));
    const failed = await manager.startAll({ plugins: [await fixture('js-esm')], broken });
    expect(failed.map(({ name }) => name)).toEqual(['Not_A_Name', 'sad']);
    expect(host.phasesOf('sad')).toEqual(['FAILED']);
    expect(host.phasesOf('Not_A_Name')).toEqual([]);
    expect(manager.started.map(({ name }) => name)).toEqual(['js-esm']);
    expect((await manager.start('sad')).status.phase).toBe('FAILED');
  });
});

describe('registering models', () => {
  it('can be undone by the plugin itself, for its own models alone', async () => {
    const { manager, host } = await started(['declares', 'hanging-stop']);
    const manage = (name: string) => manager.find(name)?.running?.context.schemeManager;
    const flower = manager.find('declares')?.running?.schemes[0]?.model;
    if (flower === undefined) throw new Error('there is no flower');
    expect(() => manage('hanging-stop')?.unregister(flower)).toThrow('is not a registered model of plugin');
    manage('declares')?.unregister(flower);
    expect(host.registry.schemes().map(({ resource }) => resource.plural)).toEqual(['anchors']);
    await manager.stopAll();
    expect(host.open.size).toBe(0);
  });

  it('is refused once start() has returned', async () => {
    const { manager, host } = await started(['late-registration']);
    const instance = manager.find('late-registration')?.running?.instance;
    const registerLate: unknown = instance && Reflect.get(instance, 'registerLate');
    expect(() => {
      if (typeof registerLate === 'function') Reflect.apply(registerLate, instance, []);
    }).toThrow('cannot register Snail: register models during start(), not later');
    expect(host.registry.schemes()).toEqual([]);
  });

  it('in a group of the platform is for plugins that the operator lists', async () => {
    const host = new MemoryHost();
    host.platformPlugins = ['reserved-group'];
    const { failed } = await started(['reserved-group'], host);
    expect(failed).toEqual([]);
    expect([...host.open]).toEqual(['crowns']);
  });
});

describe('stopping', () => {
  it('closes and unregisters all models, aborts the signal, and allows another start', async () => {
    const { manager, host } = await started(['declares', 'hanging-stop']);
    const signal = manager.find('declares')?.running?.context.signal;
    await manager.stopAll();
    expect(signal?.aborted).toBe(true);
    expect(host.open.size).toBe(0);
    expect(host.registry.schemes()).toEqual([]);
    expect(manager.started).toEqual([]);
    expect(host.log).toContain('error Plugin "hanging-stop": stop() failed');
    expect((await manager.start('declares')).status.phase).toBe('STARTED');
  });

  it('of one plugin stops its dependents first; they start again with it', async () => {
    const { manager } = await startedFrom([await fixture('declares'), await dependentOf('declares')]);
    expect(manager.started.map(({ name }) => name)).toEqual(['declares', 'js-esm']);
    await manager.stop('declares');
    expect(manager.find('declares')?.status.phase).toBe('DISABLED');
    expect(manager.find('js-esm')?.status).toMatchObject({
      phase: 'PENDING',
      message: 'waits for plugin "declares", which is DISABLED',
    });
    await manager.start('declares');
    expect(manager.started.map(({ name }) => name)).toEqual(['declares', 'js-esm']);
    await expect(manager.start('nobody')).rejects.toMatchObject({ code: 'NotFound' });
  });
});

async function dependentOf(name: string): Promise<PluginSource> {
  const source = await fixture('js-esm');
  const spec = { ...source.manifest.spec, pluginDependencies: { [name]: '^1.0.0' } };
  return { ...source, manifest: { ...source.manifest, spec } };
}
