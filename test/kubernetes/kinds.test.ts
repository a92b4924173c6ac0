import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesServer, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';
import { CASES } from './record/kind-cases.mjs';
import { inNamespace, summary, type Summary } from './record/kind-requests.mjs';

const ANSWERS = JSON.parse(readFileSync(new URL('kind-answers.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly Summary[]>
>;

/** Where this service answers otherwise on purpose: the position of the step, and the answer. */
const OTHERWISE: Readonly<Record<string, readonly (readonly [step: number, answer: Summary])[]>> = {
  // The fault is that of a field, not of the whole object.
  'a config map of a mebibyte and a byte': [
    [0, { status: 422, reason: 'Invalid', causes: ['data FieldValueTooLong'] }],
  ],
  // Values of a wrong form are faults of fields.
  'times of a lease in other forms': [0, 1, 2].map((step) => [
    step,
    { status: 422, reason: 'Invalid', causes: ['spec.acquireTime FieldValueInvalid'] },
  ]),
  'a lease with a time that is none': [
    [0, { status: 422, reason: 'Invalid', causes: ['spec.renewTime FieldValueInvalid'] }],
  ],
  // The position of the finalizer is in the path.
  'a namespace with a wrong finalizer': [
    [0, { status: 422, reason: 'Invalid', causes: ['spec.finalizers[0] FieldValueInvalid'] }],
  ],
  'a namespace of 64 characters': [
    [
      0,
      {
        status: 422,
        reason: 'Invalid',
        causes: [
          'metadata.labels.kubernetes.io/metadata.name FieldValueTooLong',
          'metadata.name FieldValueTooLong',
        ],
      },
    ],
  ],
  // The key is in the path.
  'an annotation with capitals in its prefix': [
    [1, { status: 422, reason: 'Invalid', causes: ['metadata.annotations.Example_1/a FieldValueInvalid'] }],
  ],
  'a label with capitals in its prefix': [
    [0, { status: 422, reason: 'Invalid', causes: ['metadata.labels.Example.com/a FieldValueInvalid'] }],
  ],
  // Long paths are cut.
  'a key of 254 characters': [
    [0, { status: 422, reason: 'Invalid', causes: [`data[${'a'.repeat(95)}... FieldValueInvalid`] }],
  ],
  // The field that must differ is named.
  'an event of both groups': [
    [4, { status: 409, reason: 'AlreadyExists', causes: ['metadata.name FieldValueDuplicate'] }],
  ],
  // The field of the object is named, not the patch.
  'what stays in a new event': [
    [2, { status: 422, reason: 'Invalid', causes: ['eventTime FieldValueInvalid'] }],
  ],
  'an event without an object': [
    [0, { status: 422, reason: 'Invalid', causes: ['involvedObject FieldValueRequired'] }],
  ],
};

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
