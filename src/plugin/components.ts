import { getMessage } from '../errors.js';
import type { PluginContext } from './context.js';
import type { RunningPlugin } from './plugin-host.js';

/** A class or object that a plugin's main module exports and that the service registers automatically. */
export interface Component<T> {
  /** The name of the export. */
  readonly name: string;
  /** The object itself, or an instance of the class. */
  readonly value: T;
}

/** Recognises a kind of component by its members. */
export interface ComponentKind<T extends object> {
  /** @param shape an exported object, or the prototype of an exported class */
  readonly recognises: (shape: object) => shape is T;
}

type ComponentClass = new (ctx: PluginContext) => object;

/**
 * Finds components among the exports of a plugin's main module. A class is constructed once with the plugin's context, also when it
 * is several kinds of component. The plugin's main class is not a component.
 */
export class Components {
  readonly #built = new Map<ComponentClass, object>();

  constructor(private readonly plugin: Pick<RunningPlugin, 'exports' | 'context' | 'instance'>) {}

  /**
   * In the order of their names.
   * @throws Error that names the class when a component's constructor throws
   */
  of<T extends object>(kind: ComponentKind<T>): Component<T>[] {
    const found: Component<T>[] = [];
    for (const [name, value] of this.#candidates()) {
      const instance = this.#instanceOf(value, kind);
      if (instance !== undefined) found.push({ name, value: instance });
    }
    return found;
  }

  /** Exported classes, with or without an instance. In the order of their names. */
  classes(): Component<ComponentClass>[] {
    return this.#candidates().flatMap(([name, value]) => (isClass(value) ? [{ name, value }] : []));
  }

  /** The instance of an exported class. @throws Error that names the class when its constructor throws */
  build(type: ComponentClass): object {
    const known = this.#built.get(type);
    if (known !== undefined) return known;
    const built = construct(type, this.plugin.context);
    this.#built.set(type, built);
    return built;
  }

  #instanceOf<T extends object>(value: unknown, kind: ComponentKind<T>): T | undefined {
    if (isClass(value)) {
      const { prototype } = value as { readonly prototype: unknown };
      if (typeof prototype !== 'object' || prototype === null || !kind.recognises(prototype))
        return undefined;
      const built = this.build(value);
      return kind.recognises(built) ? built : undefined;
    }
    return typeof value === 'object' && value !== null && kind.recognises(value) ? value : undefined;
  }

  #candidates(): [string, unknown][] {
    const main = this.plugin.instance.constructor;
    return Object.entries(withoutWrapper(this.plugin.exports))
      .filter(([name, value]) => name !== 'default' && value !== main)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

function construct(type: ComponentClass, context: PluginContext): object {
  try {
    return new type(context);
  } catch (error) {
    throw new Error(`the constructor of ${type.name} failed: ${getMessage(error)}`, { cause: error });
  }
}

/** Compiled CommonJS has its exports a second time, below `default`. */
function withoutWrapper(exports: object): object {
  const inner: unknown = 'default' in exports ? exports.default : undefined;
  return typeof inner === 'object' && inner !== null && 'default' in inner ? inner : exports;
}

/** True only for classes: an exported plain function must not be called. */
function isClass(value: unknown): value is ComponentClass {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
