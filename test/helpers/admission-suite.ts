import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import {
  ALLOWED,
  configuration,
  startAdmissionReceiver,
  VALIDATING,
  webhookEntry,
  type AdmissionReceiver,
} from './admission-webhook.js';
import type { HttpAnswer } from './http.js';
import { startKubernetesServer, type KubernetesServer } from './kubernetes.js';
import { removeDirectories } from './store.js';

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const MERGE = 'application/merge-patch+json';

export const map = (name: string, members: object = {}): object => ({ metadata: { name }, ...members });

/** The server of a test, and the webhooks of its file. */
export class AdmissionSuite {
  #server: KubernetesServer | undefined;
  readonly #hooks: AdmissionReceiver[] = [];

  /** Webhooks for all tests of a file, and a server with all kinds for each test. */
  constructor(hooks: number) {
    beforeAll(async () => {
      for (let i = 0; i < hooks; i++) this.#hooks.push(await startAdmissionReceiver());
    });
    beforeEach(async () => {
      this.#server = await startKubernetesServer({ kinds: 'full' });
      for (const hook of this.#hooks) {
        hook.decide = () => ALLOWED;
        hook.raw = undefined;
        hook.requests.length = 0;
      }
    });
    afterEach(() => this.server.close());
    afterAll(async () => {
      for (const hook of this.#hooks) await hook.stop();
      removeDirectories();
    });
  }

  get server(): KubernetesServer {
    if (this.#server === undefined) throw new Error('the test has not begun');
    return this.#server;
  }

  /** The first webhook, or another one. */
  hook(at = 0): AdmissionReceiver {
    const hook = this.#hooks[at];
    if (hook === undefined) throw new Error(`the file has no webhook ${at}`);
    return hook;
  }

  /** Stores a configuration whose only webhook validates. */
  async validate(members: object = {}, name = 'one'): Promise<void> {
    const entry = webhookEntry(this.hook(), members);
    await this.server.post(VALIDATING, configuration('ValidatingWebhookConfiguration', name, entry));
  }

  async send(
    method: string,
    target: string,
    body?: object,
    type?: string,
  ): Promise<Pick<HttpAnswer, 'status' | 'headers'> & { readonly body: ReturnType<HttpAnswer['json']> }> {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const answer = await this.server.send(method, target, { ...(body && { body }), headers });
    return { status: answer.status, headers: answer.headers, body: answer.json() };
  }
}
