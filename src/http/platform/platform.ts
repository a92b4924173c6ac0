import type { IncomingMessage } from 'node:http';
import type { AccessControl } from '../../access/control.js';
import type { AuditLog } from '../../audit/audit-log.js';
import type { ControllerMeasures } from '../../controller/running-controller.js';
import type { ServedRoute } from '../../endpoint/route.js';
import type { ModelPlan } from '../../lifecycle/model-plan.js';
import type { JsonObject } from '../../model/object.js';
import type { BrowserSignIn } from '../../oidc/browser-sign-in.js';
import type { Description } from '../../openapi/description.js';
import type { KubernetesDescriber } from '../../openapi/kubernetes.js';
import type { SwaggerDescriber } from '../../openapi/v2/swagger.js';
import type { ShownConfig } from '../../plugin/config/shown-config.js';
import type { PluginLogs } from '../../plugin/log/plugin-logs.js';
import type { WebhookDeliveries } from '../../webhooks/deliveries.js';
import type { Admission, RunWork } from '../admission/admission.js';
import type { Converter } from '../answer/converter.js';
import type { PageFiles } from '../console/page-files.js';
import type { NeededRights } from '../guards/access-guard.js';
import type { Startup } from '../guards/startup.js';
import type { TicketGuard } from '../guards/ticket-guard.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import type { ServiceLog } from '../metrics/service-log.js';
import type { PluginAssets } from '../plugins/plugin-assets.js';
import type { DispatchOptions } from '../routes/call.js';
import type { Peers } from './peers.js';

/** The things that the endpoints of the platform use together. */
export interface Platform extends Pick<
  DispatchOptions,
  'service' | 'models' | 'logger' | 'bodies' | 'stallMs' | 'guard' | 'origins'
> {
  /** The version of the program, for `/version`. */
  readonly version: string;
  /** Runs work within the limits of its sender. */
  readonly run: RunWork;
  readonly admission: Admission;
  /** Runs long conversions, such as the parsing of long YAML. */
  readonly converter: Converter;
  /** The sender whose share a request uses. */
  readonly getSender: (req: IncomingMessage) => string;
  readonly needed: NeededRights;
  readonly tickets: TicketGuard;
  /** Authentication and authorization; undefined when every request is allowed. */
  readonly access?: AccessControl;
  /** Records refusals and writes; undefined when nothing is recorded. */
  readonly audit?: AuditLog | undefined;
  /** Undefined when everything is served at once. */
  readonly startup?: Startup | undefined;
  /** Undefined when no other process answers on the address. */
  readonly peers?: Peers | undefined;
  /** Conditions for readiness. */
  readonly readiness: readonly HealthCheck[];
  /** Creates backups of the store; undefined when backups are not offered. */
  readonly makeBackup?: MakeBackup | undefined;
  /** Interval of interim answers (102) to a client that waits for a backup, in milliseconds. Default 30 s. */
  readonly aliveMs?: number;
  /** Plans a start; undefined for a shared store, which does not support plans. */
  readonly makePlan?: MakePlan | undefined;
  /** Plans the change of a definition; undefined without the kinds of Kubernetes. */
  readonly planDefinition?: PlanDefinition | undefined;
  /** The tools of agents at `/mcp`. Default `read`. */
  readonly mcp?: McpMode | undefined;
  /** Files of plugins; undefined without plugins. */
  readonly assets?: PluginAssets;
  /** The last lines of plugins; undefined without plugins. */
  readonly pluginLogs?: PluginLogs | undefined;
  /** The configurations of plugins; undefined without plugins. */
  readonly findPluginConfig?: FindPluginConfig | undefined;
  /** Undefined without controllers. */
  readonly controllers?: ControllerReports;
  /** Undefined without deliveries to webhooks. */
  readonly webhooks?: Pick<WebhookDeliveries, 'measures'>;
  /** The client of the service at an issuer; undefined when people cannot sign in there. */
  readonly signInClient?: { readonly issuer: string; readonly clientId: string } | undefined;
  /** Signs people in with the console; undefined without an issuer. */
  readonly browserSignIn?: BrowserSignIn | undefined;
  /** True when unauthenticated people may see the front page: then it has no names of models. */
  readonly hasSignIn: boolean;
  /** Undefined when the console is not served. */
  readonly console: PageFiles | undefined;
  readonly routes: () => readonly ServedRoute[];
  /** The paths of the mounted endpoints. */
  readonly mounted: () => readonly string[];
  /** The description of the present state. */
  readonly describe: () => Description;
  readonly kubernetes: KubernetesDescriber;
  readonly swagger: SwaggerDescriber;
  /** Requests since the start, by method. */
  readonly requests: Map<string, number>;
  readonly durations: RequestMetrics;
  /** Keeps slow and failed requests. */
  readonly serviceLog: ServiceLog;
  /** The size of the store's file; undefined when it is not known. */
  readonly storeSize?: () => StoreSize;
}

/** A condition for the readiness of the service. */
export interface HealthCheck {
  readonly name: string;
  /** The reason why it is not met; undefined when it is. */
  problem(): string | undefined;
  /** Additional information about it. */
  detail?(): string | undefined;
}

/** A backup that was created and verified. It must be closed. */
export interface MadeBackup {
  readonly bytes: number;
  /** Its bytes; a part is valid until the next one is requested. */
  parts(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/**
 * Creates a backup of the store.
 * @param signal aborted when the client has disconnected
 * @throws ServiceError `TooManyRequests`, `ServiceUnavailable`, `InternalError`
 */
export type MakeBackup = (signal: AbortSignal) => Promise<MadeBackup>;

/**
 * Plans the changes of a start with the plugins on disk to the store, without writing.
 * @param plugins the plugins to plan for, as if they were enabled; empty for all enabled ones
 * @param signal aborted when the client has disconnected
 * @returns the plan in the form of the answer
 * @throws ServiceError `NotFound` for a missing plugin, `TooManyRequests`, `ServiceUnavailable`
 */
export type MakePlan = (plugins: readonly string[], signal: AbortSignal) => Promise<PlannedModels>;

/**
 * Plans the change of a definition to the stored objects of its kind, without writing.
 * @returns the plan in the form of the answer
 * @throws ServiceError `Invalid` with the faults of the definition
 */
export type PlanDefinition = (definition: JsonObject, signal: AbortSignal) => Promise<PlannedModels>;

/** The part of a plan that is completed for the sender of a request. */
interface PlannedModels {
  readonly models: readonly ModelPlan[];
}

/** The tools of agents. */
export type McpMode = 'off' | 'read' | 'write';

/** The configuration of a plugin; `none` when it declares no schema, undefined when no such plugin is installed. */
export type FindPluginConfig = (plugin: string) => ShownConfig | 'none' | undefined;

/** Reports about the controllers of this process. */
export interface ControllerReports {
  /** The one process on the store that runs the controllers. The holder is empty while no process does. */
  leader(): { readonly holder: string; readonly token: number; readonly isSelf: boolean };
  /** One object for each controller, by name. */
  list(): readonly JsonObject[];
  /**
   * The report of each controller of a model about one object: the last error, the next attempt, and the state of the
   * work.
   * @param resource `<plural>.<group>`
   */
  about(resource: string, name: string): readonly JsonObject[];
  /** The outstanding work and durations of each controller, by name. */
  measures(): readonly ControllerMeasures[];
}

/** The file of the store. Free pages are reused before the file grows. */
export interface StoreSize {
  readonly pageBytes: number;
  readonly pages: number;
  readonly freePages: number;
}
