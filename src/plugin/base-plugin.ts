import type { PluginContext } from './context.js';

/**
 * Base of a plugin's main class, the default export of its main module. The service builds it once per start.
 *
 * ```ts
 * export default class PersonPlugin extends BasePlugin {
 *   override start() {
 *     this.ctx.schemeManager.register(Person);
 *   }
 * }
 * ```
 */
export abstract class BasePlugin {
  constructor(readonly ctx: PluginContext) {}

  /** Registers models and prepares their resources. An error fails only this plugin. Has a deadline. */
  start(): void | Promise<void> {}

  /** Ends the work that `start()` began. Models need not be unregistered: the service removes them afterwards. Has a deadline. */
  stop(): void | Promise<void> {}

  /** Called when the plugin is removed permanently, after `stop()`. */
  delete(): void | Promise<void> {}
}
