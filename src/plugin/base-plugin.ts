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
 *
 * A plugin with a configuration names its class. `pluginConfig` of the service is checked against it before `start()`. With errors
 * the plugin is `FAILED`, and its message lists all of them:
 *
 * ```ts
 * class NoteConfig {
 *   @Schema({ type: 'string', enum: ['yellow', 'blue'], default: 'yellow' }) color!: string;
 * }
 *
 * export default class NotePlugin extends BasePlugin<NoteConfig> {
 *   static config = NoteConfig;
 *
 *   override start() {
 *     this.ctx.logger.info(`notes are ${this.ctx.config.color}`);
 *   }
 * }
 * ```
 * @typeParam C the type of `ctx.config`
 */
export abstract class BasePlugin<C = unknown> {
  constructor(readonly ctx: PluginContext<C>) {}

  /** Registers models and prepares their resources. An error fails only this plugin. Has a deadline. */
  start(): void | Promise<void> {}

  /** Ends the work that `start()` began. Models need not be unregistered: the service removes them afterwards. Has a deadline. */
  stop(): void | Promise<void> {}

  /** Called when the plugin is removed permanently, after `stop()`. */
  delete(): void | Promise<void> {}
}
