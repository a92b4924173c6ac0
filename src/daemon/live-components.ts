import type { Controller } from '../controller/controller.js';
import { setUp } from '../controller/set-up.js';
import type { ControllerManager } from '../controller/manager.js';
import { isReconciler } from '../controller/reconciler.js';
import { annotatedController } from '../endpoint/controller.js';
import { isCustomEndpoint, type CustomEndpoint } from '../endpoint/custom-endpoint.js';
import type { EndpointRegistry } from '../http/endpoint/endpoints.js';
import { PLATFORM_DESCRIPTION } from '../http/platform/endpoints.js';
import type { PluginAssets } from '../http/plugins/plugin-assets.js';
import type { Resource } from '../model/resource.js';
import { Describer } from '../openapi/description.js';
import { Components, type Component } from '../plugin/components.js';
import type { PreparedComponents, RunningPlugin } from '../plugin/plugin-host.js';

/** The time limit for running reconciles when their plugin stops. */
const STOP_MS = 5_000;

export interface LiveComponentsOptions {
  readonly endpoints: EndpointRegistry;
  /** Serves their files; undefined without a server. */
  readonly assets?: PluginAssets;
  /** Undefined when reconcilers must not run: then only endpoints are registered. */
  readonly controllers: ControllerManager | undefined;
  /** Plugins that may register endpoints in groups of the platform. */
  readonly platformPlugins: readonly string[];
  /** All registered models, for the descriptions of endpoints. */
  readonly models: () => readonly Resource[];
}

/** Makes the components of plugins live, and withdraws them. */
export class LiveComponents {
  readonly #describer = new Describer(PLATFORM_DESCRIPTION);
  /** Mistakes in descriptions that were reported already. */
  #reported: ReadonlySet<string> = new Set();

  constructor(private readonly options: LiveComponentsOptions) {}

  /**
   * Checks the endpoints and controllers of a plugin, and reserves their paths. Must be withdrawn when it fails.
   * @throws ServiceError that names the problem; any error of a component's constructor
   */
  async prepare(plugin: RunningPlugin): Promise<PreparedComponents> {
    const { endpoints } = this.options;
    const components = new Components(plugin);
    // A model that is registered after another plugin's endpoints must not hide them.
    for (const { versions } of plugin.schemes)
      for (const version of versions.byName.values()) if (version.isServed) endpoints.checkModel(version);
    const { name, context, schemes } = plugin;
    const isPlatform = this.options.platformPlugins.includes(name);
    const found = [
      ...distinctValues(components.of({ recognises: isCustomEndpoint })),
      ...annotatedEndpoints(components, plugin),
    ];
    const { signal, logger, client } = context;
    let isLive = false;
    const owner = { name, signal, logger, client, schemes, isPlatform, isOpen: () => isLive };
    const paths = found.length === 0 ? [] : endpoints.add(owner, found);
    this.#warnAboutDescriptions(plugin);
    const controllers = await this.#setUpControllers(components);
    return {
      paths,
      goLive: () => {
        isLive = true;
        for (const controller of controllers) this.options.controllers?.add(name, controller);
        this.options.assets?.add(name, plugin.directory, plugin.manifest.spec.console?.pages);
      },
    };
  }

  /** Undoes {@link prepare}, also after a partial failure, and ends what is live. */
  async withdraw({ name }: RunningPlugin): Promise<void> {
    this.options.endpoints.remove(name);
    this.options.assets?.remove(name);
    await this.options.controllers?.removeAll(name, STOP_MS);
  }

  /** A wrong description does not prevent serving; a warning tells the author. */
  #warnAboutDescriptions({ context }: RunningPlugin): void {
    const { endpoints, models } = this.options;
    const described = { models: models(), routes: endpoints.list(), programVersion: '' };
    const { warnings } = this.#describer.describe(described);
    for (const warning of warnings) if (!this.#reported.has(warning)) context.logger.warn(warning);
    this.#reported = new Set(warnings);
  }

  async #setUpControllers(components: Components): Promise<readonly Controller[]> {
    const { controllers } = this.options;
    if (controllers === undefined) return [];
    const described = distinctValues(components.of({ recognises: isReconciler })).map(setUp);
    for (const controller of described) await controllers.check(controller);
    return described;
  }
}

/** A component that is exported by several names counts once. */
function distinctValues<T>(components: readonly Component<T>[]): T[] {
  return [...new Set(components.map(({ value }) => value))];
}

/** The endpoints of annotated classes. A class without the marker of its version is not registered. */
function annotatedEndpoints(components: Components, { name, context }: RunningPlugin): CustomEndpoint[] {
  return distinctValues(components.classes()).flatMap((type) => {
    const annotated = annotatedController(type);
    if (annotated.kind === 'controller') return [annotated.getEndpoint(components.build(type))];
    if (annotated.kind === 'no-version') {
      context.logger.warn(
        `Plugin "${name}": the class ${annotated.name} has mappings but no @ApiVersion, so its routes are not served`,
      );
    }
    return [];
  });
}
