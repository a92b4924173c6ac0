import { openKubernetes, type ServedKinds } from '../../src/kubernetes/open.js';
import { PROTOBUF_TYPE, readKubernetesBody } from '../../src/kubernetes/protobuf/body.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { Resource } from '../../src/model/resource.js';
import { startTestServer, type HttpAnswer, type TestServer, type TestServerOptions } from './http.js';

export interface KubernetesServer extends TestServer {
  /** Sends an object in JSON, and fails unless the answer has the status. */
  post(target: string, object: object, status?: number): Promise<HttpAnswer>;
}

interface KubernetesServerOptions extends TestServerOptions {
  /** Default true. */
  readonly leads?: boolean;
  /** Default: `on`. */
  readonly kinds?: ServedKinds;
}

/** A server with the kinds of Kubernetes. */
export async function startKubernetesServer({
  leads = true,
  kinds = 'on',
  ...options
}: KubernetesServerOptions = {}): Promise<KubernetesServer> {
  const bodyParsers = new Map([[PROTOBUF_TYPE, readKubernetesBody]]);
  const server = await startTestServer({
    bodyParsers,
    hasKinds: true,
    ...options,
  });
  const { service, registry } = server;
  const { lead } = await openKubernetes({ service, registry, logger: SILENT, kinds });
  const ending = new AbortController();
  const leading = leads ? lead((write) => write(undefined), ending.signal) : undefined;
  return {
    ...server,
    async post(target, object, status = 201) {
      const answer = await server.send('POST', target, { body: object });
      if (answer.status !== status) throw new Error(`${target}: ${answer.status} ${answer.text}`);
      return answer;
    },
    async close() {
      ending.abort();
      await leading;
      await server.close();
    },
  };
}

/** A model that is served. */
export function resourceOf({ service }: KubernetesServer, kind: string): Resource {
  const found = service.models.list().find((one) => one.kind === kind);
  if (found === undefined) throw new Error(kind);
  return found;
}

/** Asks until the answer fits. */
export async function waitFor<T>(ask: () => Promise<T>, isReached: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isReached(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
