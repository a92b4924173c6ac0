import { getMessage, hasCode, ServiceError } from '../errors.js';
import type { DeclareIndexes } from '../model/declare/scheme-builder.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { Resource } from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { ModelOptions } from '../model/evolve/versions.js';
import type { SchemeManager } from './context.js';
import type { PluginHost } from './plugin-host.js';

type RegistrationHost = Pick<
  PluginHost,
  'registry' | 'activate' | 'deactivate' | 'logger' | 'platformPlugins'
>;

/** A model that is not served because of its stored objects. */
export interface UnservedModel {
  readonly resource: Resource;
  readonly reason: string;
}

/** The models of one start of one plugin: its `schemeManager`, and the removal of all its registrations. */
export class Registrations implements SchemeManager {
  readonly #registered = new Map<ModelClass, Scheme>();
  readonly #opened = new Set<Scheme>();
  /** Models that a plugin's `unregister` is closing; it cannot wait for them. */
  readonly #closing: Promise<void>[] = [];
  #accepting = true;
  /** True when the log has the one line about deprecated forms. */
  #isWarned = false;

  constructor(
    private readonly plugin: string,
    private readonly host: RegistrationHost,
  ) {}

  /** In the order of registration. */
  get own(): readonly Scheme[] {
    return [...this.#registered.values()];
  }

  register(model: ModelClass, declareIndexes?: DeclareIndexes, options?: ModelOptions): void {
    if (!this.#accepting) {
      throw new ServiceError(
        'Conflict',
        `Plugin "${this.plugin}" cannot register ${model.name}: register models during start(), not later`,
      );
    }
    const allowReservedGroup = this.host.platformPlugins.includes(this.plugin);
    const onDeprecated = (text: string): void => {
      if (!this.#isWarned) this.host.logger.warn(text, { plugin: this.plugin });
      this.#isWarned = true;
    };
    const registerOptions = { allowReservedGroup, model: options, onDeprecated };
    const scheme = this.host.registry.register(model, this.plugin, declareIndexes, registerOptions);
    this.#registered.set(model, scheme);
  }

  unregister(model: ModelClass): void {
    const scheme = this.#registered.get(model);
    if (scheme === undefined) {
      throw new ServiceError(
        'NotFound',
        `${model.name} is not a registered model of plugin "${this.plugin}"`,
      );
    }
    this.#registered.delete(model);
    this.host.registry.unregister(model);
    if (this.#opened.has(scheme)) this.#closing.push(this.#close(scheme));
  }

  schemes(): readonly Scheme[] {
    return this.host.registry.schemes();
  }

  /** Called when `start()` has ended, with or without an error. */
  close(): void {
    this.#accepting = false;
  }

  /**
   * Opens the models one after the other: each build of an index uses the whole machine. A model is not served when its objects
   * share values that must be unique; the others are.
   * @param onProgress receives the progress
   * @returns the models that are not served
   */
  async activate(onProgress: (progress: string) => void): Promise<readonly UnservedModel[]> {
    const unserved: UnservedModel[] = [];
    for (const scheme of this.own) {
      this.#opened.add(scheme);
      try {
        await this.host.activate(scheme, onProgress);
      } catch (error) {
        if (!hasCode(error, 'AlreadyExists')) throw error;
        unserved.push({ resource: scheme.resource, reason: error.message });
      }
    }
    return unserved;
  }

  /** Removes all registrations, last first. Never throws: errors are logged, and the rest continues. */
  async takeBack(): Promise<void> {
    this.close();
    for (const scheme of [...this.own].reverse()) {
      await this.#close(scheme);
      if (scheme.model !== undefined) this.#registered.delete(scheme.model);
      this.#attempt(scheme, () => this.host.registry.remove(scheme));
    }
    await Promise.all(this.#closing);
  }

  async #close(scheme: Scheme): Promise<void> {
    if (!this.#opened.delete(scheme)) return;
    try {
      await this.host.deactivate(scheme);
    } catch (error) {
      this.#failed(scheme, error);
    }
  }

  #attempt(scheme: Scheme, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failed(scheme, error);
    }
  }

  #failed(scheme: Scheme, error: unknown): void {
    const { plural, group } = scheme.resource;
    this.host.logger.error(`Cannot unregister a model of plugin "${this.plugin}"`, {
      model: `${plural}.${group}`,
      error: getMessage(error),
    });
  }
}
