import { describePlatform } from '../../openapi/platform.js';
import { CONSOLE, type ConsoleNeeds } from '../console/console.js';
import { SIGN_IN_PAGES, type SignInPageNeeds } from '../console/sign-in-pages.js';
import { DOCUMENTS, type DocsNeeds } from '../docs/docs.js';
import { ACCOUNT_TOKENS } from '../kube/account-tokens.js';
import { DISCOVERY, type DiscoveryNeeds } from '../kube/discovery.js';
import { OPENAPI_V2, type SwaggerNeeds } from '../kube/openapi-v2.js';
import type { ReviewNeeds } from '../kube/review.js';
import { REVIEWS } from '../kube/reviews.js';
import { SERVICE_LOG, type ServiceLogNeeds } from '../metrics/log-endpoint.js';
import { METRICS } from '../metrics/metrics-endpoint.js';
import { RECENT_METRICS } from '../metrics/recent-endpoint.js';
import type { MetricsNeeds } from '../metrics/service-metrics.js';
import { PLUGIN_CONFIG, type PluginConfigNeeds } from '../plugins/plugin-config.js';
import { PLUGIN_LOG, type PluginLogNeeds } from '../plugins/plugin-log.js';
import { CONSOLE_PAGES, type ConsolePageNeeds } from '../plugins/console-pages.js';
import { BACKUPS, type BackupNeeds } from './backups.js';
import { BATCHES, type BatchNeeds } from './commits/batches.js';
import { CHECKS, type CheckNeeds } from './checks.js';
import { CONTROLLERS, type ControllerNeeds } from './controllers.js';
import type { PlatformEndpoint } from './endpoint.js';
import { FRONT_PAGE, type FrontNeeds } from './front-page.js';
import { HEALTH, type HealthNeeds } from './health.js';
import { MCP, type McpNeeds } from './mcp.js';
import { MODEL_PLANS, type ModelPlanNeeds } from './model-plans.js';
import { MODELS, type ModelNeeds } from './models.js';
import { DEPENDENTS, REFERRERS, type RelationNeeds } from './relations/relations.js';
import { SIGN_IN, type SignInNeeds } from './sign-in.js';
import { STORED_VERSIONS, type StoredVersionNeeds } from './stored-versions.js';
import { UNDOS, type UndoNeeds } from './commits/undos.js';
import { VERSION } from './version.js';
import { WATCH_TICKETS, type WatchTicketNeeds } from './watch-tickets.js';
import { DEAD_LETTERS, REPLAYS, type WebhookNeeds } from './webhooks.js';

/** The things that the handlers use together. */
export type Platform = ReviewNeeds &
  BackupNeeds &
  BatchNeeds &
  CheckNeeds &
  ConsoleNeeds &
  ConsolePageNeeds &
  ControllerNeeds &
  DiscoveryNeeds &
  DocsNeeds &
  FrontNeeds &
  HealthNeeds &
  McpNeeds &
  MetricsNeeds &
  ModelNeeds &
  ModelPlanNeeds &
  PluginConfigNeeds &
  PluginLogNeeds &
  RelationNeeds &
  ServiceLogNeeds &
  SignInNeeds &
  SignInPageNeeds &
  StoredVersionNeeds &
  SwaggerNeeds &
  UndoNeeds &
  WatchTicketNeeds &
  WebhookNeeds;

/** All endpoints of the platform. OpenAPI documents keep the order. */
export const PLATFORM_ENDPOINTS: readonly PlatformEndpoint<Platform>[] = [
  BATCHES,
  UNDOS,
  BACKUPS,
  CHECKS,
  WATCH_TICKETS,
  MODELS,
  MODEL_PLANS,
  STORED_VERSIONS,
  REFERRERS,
  DEPENDENTS,
  CONSOLE_PAGES,
  PLUGIN_LOG,
  PLUGIN_CONFIG,
  CONTROLLERS,
  DEAD_LETTERS,
  REPLAYS,
  SIGN_IN,
  VERSION,
  METRICS,
  RECENT_METRICS,
  SERVICE_LOG,
  MCP,
  ...HEALTH,
  FRONT_PAGE,
  ...CONSOLE,
  ...SIGN_IN_PAGES,
  ...DISCOVERY,
  OPENAPI_V2,
  ACCOUNT_TOKENS,
  ...REVIEWS,
  ...DOCUMENTS,
];

export const PLATFORM_DESCRIPTION = describePlatform(PLATFORM_ENDPOINTS);
