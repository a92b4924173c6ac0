import { openKubernetes } from '../../src/kubernetes/open.js';
import { PROTOBUF_TYPE, readKubernetesBody } from '../../src/kubernetes/protobuf/body.js';
import { startTestServer, type TestServer } from './http.js';

const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A server in this process that serves definitions and their kinds. Nothing leads it. */
export async function openDefinitions(): Promise<TestServer> {
  const server = await startTestServer({ bodyParsers: new Map([[PROTOBUF_TYPE, readKubernetesBody]]) });
  await openKubernetes({ service: server.service, registry: server.registry, logger: QUIET });
  return server;
}
