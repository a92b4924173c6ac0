import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Authority } from './certificates.js';

/** The members of a request in a review that tests look at. */
export interface ReviewRequest {
  readonly [member: string]: unknown;
  readonly uid: string;
  readonly name?: string;
  readonly operation: string;
  readonly object: ReviewedThing | null;
  readonly oldObject: ReviewedThing | null;
}

interface ReviewedThing {
  readonly [member: string]: unknown;
  readonly apiVersion: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The members of a response; the uid is added. */
export type Decision = Readonly<Record<string, unknown>>;

/** A webhook of admission on loopback, by HTTPS. */
export interface AdmissionReceiver {
  readonly url: string;
  readonly caBundle: string;
  /** All requests, in order. */
  readonly requests: ReviewRequest[];
  /** Default: everything is allowed. */
  decide: (request: ReviewRequest) => Decision | Promise<Decision>;
  /** Instead of `decide`. */
  raw: ((res: ServerResponse, request: ReviewRequest) => void) | undefined;
  stop(): Promise<void>;
}

export const ALLOWED: Decision = { allowed: true };

export function denied(message?: string, code?: number, more: object = {}): Decision {
  return {
    allowed: false,
    status: { ...(message !== undefined && { message }), ...(code !== undefined && { code }), ...more },
  };
}

export function patched(...operations: readonly object[]): Decision {
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  };
}

let authority: Authority | undefined;

export async function startAdmissionReceiver(): Promise<AdmissionReceiver> {
  // The files of an earlier one may be removed.
  if (authority === undefined || !existsSync(authority.caFile)) authority = new Authority();
  const { certFile, keyFile } = authority.sign(`webhook-${Math.random()}`);
  const receiver: Omit<AdmissionReceiver, 'url' | 'stop'> = {
    caBundle: readFileSync(authority.caFile).toString('base64'),
    requests: [],
    decide: () => ALLOWED,
    raw: undefined,
  };
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const server = createServer(tls, (req, res) => void answer(receiver, req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `https://127.0.0.1:${port}/review`,
    async stop(): Promise<void> {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  });
}

async function answer(
  receiver: Omit<AdmissionReceiver, 'url' | 'stop'>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of req as AsyncIterable<Buffer>) parts.push(part);
  const { request } = JSON.parse(Buffer.concat(parts).toString()) as { request: ReviewRequest };
  receiver.requests.push(request);
  if (receiver.raw !== undefined) {
    receiver.raw(res, request);
    return;
  }
  const response = { uid: request.uid, ...(await receiver.decide(request)) };
  sendReview(res, { response });
}

/** Answers with a review. */
export function sendReview(res: ServerResponse, members: object): void {
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', ...members }));
}

const ALL_RULE = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' };

/** A webhook of a configuration that asks a receiver about all writes of configmaps. */
export function webhookEntry({ url, caBundle }: AdmissionReceiver, members: object = {}): object {
  return {
    name: 'check.example.com',
    clientConfig: { url, caBundle },
    rules: [{ ...ALL_RULE, apiGroups: [''], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...members,
  };
}

export function ruleOf(apiGroup: string, resource: string, ...operations: readonly string[]): object {
  return {
    ...ALL_RULE,
    apiGroups: [apiGroup],
    resources: [resource],
    ...(operations.length > 0 && { operations }),
  };
}

export type ConfigurationKind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

export function configuration(kind: ConfigurationKind, name: string, ...webhooks: readonly object[]): object {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
}

export const VALIDATING = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
export const MUTATING = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
