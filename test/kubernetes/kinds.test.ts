import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';
import { OTHERWISE } from './kind-exceptions.js';
import { CASES } from './record/kind-cases.mjs';
import { inNamespace, summary, type Summary } from './record/kind-requests.mjs';

const ANSWERS = JSON.parse(readFileSync(new URL('kind-answers.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly Summary[]>
>;

let server: KubernetesServer;
beforeAll(async () => {
  server = await startKubernetesServer({ leads: false });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

/** Members without a value are the same as absent ones. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== null && member !== '' && !isEmpty(member));
  return Object.fromEntries(members);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function comparable({ size, ...answer }: Summary): unknown {
  // Objects of this service have a few members more.
  return { ...(withoutEmpty(answer) as object), ...(size !== undefined && { size: size >> 10 }) };
}

describe('a kind of Kubernetes answers as a kube-apiserver', () => {
  it.each(Object.keys(CASES).map((title, index) => [title, index] as const))('%s', async (title, index) => {
    const namespace = `kinds-${index}`;
    await server.post('/api/v1/namespaces', { metadata: { name: namespace } });
    const answers: unknown[] = [];
    for (const step of CASES[title] ?? []) {
      const { method, path, body, type = 'application/json' } = inNamespace(step, namespace);
      const headers = { 'content-type': type };
      const { status, text } = await server.send(method, path, {
        headers,
        ...(body !== undefined && { body }),
      });
      const answer = JSON.stringify(summary(status, text)).replaceAll(namespace, 'NS');
      answers.push(comparable(JSON.parse(answer) as Summary));
    }
    const expected: unknown[] = (ANSWERS[title] ?? []).map(comparable);
    for (const [step, answer] of OTHERWISE[title] ?? []) expected[step] = comparable(answer);
    expect(answers).toEqual(expected);
  });
});
