import { Agent } from 'node:http';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { issueToken } from '../../src/access/issue.js';
import { checkLimits } from '../../src/access/limits/role-check.js';
import { openAccessModels, ROLES } from '../../src/access/models.js';
import type { AccessRule } from '../../src/access/rules.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen } from '../../src/http/server.js';
import type { McpMode } from '../../src/http/platform/platform.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { Service } from '../../src/service/service.js';
import { openViewModel } from '../../src/views/model.js';
import { senderAs } from './http.js';
import { registerLibrary } from './library.js';
import { openTestService, removeDirectories, type TestService } from './store.js';

/** The library's models behind a server that asks for tokens. */
export interface GuardedLibrary {
  /** The service itself, to which no access rules apply. */
  readonly service: () => Service;
  readonly url: () => string;
  /** Sends a request with a token. */
  readonly as: ReturnType<typeof senderAs>;
  /** Makes a user with these rights. @returns its token */
  readonly tokenFor: (user: string, ...rules: readonly AccessRule[]) => Promise<string>;
}

interface GuardedOptions {
  readonly mcp?: McpMode;
  /** Registers the models. Default: those of the library. */
  readonly register?: (service: TestService) => Promise<void>;
}

/** Opens one for each test, and closes it when the test ends. */
export function useGuardedLibrary(options: GuardedOptions = {}): GuardedLibrary {
  let opened: OpenedLibrary;
  beforeEach(async () => {
    opened = await openGuarded(options);
  });
  afterEach(() => opened.close());
  afterAll(removeDirectories);
  return {
    service: () => opened.service(),
    url: () => opened.url(),
    as: (...request) => opened.as(...request),
    tokenFor: (...user) => opened.tokenFor(...user),
  };
}

interface OpenedLibrary extends GuardedLibrary {
  close(): Promise<void>;
}

/** Must be closed. */
export async function openGuarded({
  mcp,
  register = registerLibrary,
}: GuardedOptions): Promise<OpenedLibrary> {
  const t = await openTestService();
  const { service, registry } = t;
  await openAccessModels(service.models, registry);
  await openViewModel(service.models, registry);
  await register(t);
  service.beforeWrites(ROLES, (role) => checkLimits(service.models, role));
  const app = createExpressApp({
    service,
    access: new AccessControl(service),
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: false,
    version: '0.1.0',
    mcp,
    recheckMs: 100,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  return {
    service: () => service,
    url: () => server.url,
    as: senderAs(() => ({ agent, server })),
    async tokenFor(user, ...rules) {
      await service.create(ROLES, { metadata: { name: user }, rules });
      return (await issueToken(service, { user, role: user }, new Date())).token;
    },
    async close() {
      agent.destroy();
      await server.close(0);
      await t.close();
    },
  };
}
