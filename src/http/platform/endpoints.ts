import { describePlatform } from '../../openapi/platform.js';
import { CONSOLE } from '../console/console.js';
import { SIGN_IN_PAGES } from '../console/sign-in-pages.js';
import { DOCUMENTS } from '../docs/docs.js';
import { ACCOUNT_TOKENS } from '../kube/account-tokens.js';
import { DISCOVERY } from '../kube/discovery.js';
import { OPENAPI_V2 } from '../kube/openapi-v2.js';
import { REVIEWS } from '../kube/reviews.js';
import { SERVICE_LOG } from '../metrics/log-endpoint.js';
import { METRICS } from '../metrics/metrics-endpoint.js';
import { RECENT_METRICS } from '../metrics/recent-endpoint.js';
import { PLUGIN_CONFIG } from '../plugins/plugin-config.js';
import { PLUGIN_LOG } from '../plugins/plugin-log.js';
import { CONSOLE_PAGES } from '../plugins/console-pages.js';
import { BACKUPS } from './backups.js';
import { BATCHES } from './commits/batches.js';
import { CHECKS } from './checks.js';
import { CONTROLLERS } from './controllers.js';
import type { PlatformEndpoint } from './endpoint.js';
import { FRONT_PAGE } from './front-page.js';
import { HEALTH } from './health.js';
import { MCP } from './mcp.js';
import { MODEL_PLANS } from './plans/model-plans.js';
import { MODELS } from './models.js';
import { DEPENDENTS, REFERRERS } from './relations/relations.js';
import { SIGN_IN } from './sign-in.js';
import { STORED_VERSIONS } from './stored-versions.js';
import { UNDOS } from './commits/undos.js';
import { VERSION } from './version.js';
import { WATCH_TICKETS } from './watch-tickets.js';
import { DEAD_LETTERS, REPLAYS } from './webhooks.js';

/** All endpoints of the platform. OpenAPI documents keep the order. */
export const PLATFORM_ENDPOINTS: readonly PlatformEndpoint[] = [
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
