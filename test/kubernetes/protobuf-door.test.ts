import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOBUF_TYPE, readKubernetesBody } from '../../src/kubernetes/protobuf/body.js';
import { PERSONS, startTestServer, type TestServer } from '../helpers/http.js';
import { kubernetesBody, type WireFields } from '../helpers/protobuf.js';
import { removeDirectories } from '../helpers/store.js';

const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ bodyParsers: new Map([[PROTOBUF_TYPE, readKubernetesBody]]) });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

function post(target: string, body: Buffer, type = PROTOBUF_TYPE) {
  return server.send('POST', target, { body, headers: { 'content-type': type } });
}

function review(spec: WireFields): Buffer {
  return kubernetesBody('authorization.k8s.io/v1', 'SelfSubjectAccessReview', [
    [1, []],
    [2, spec],
    [3, [[1, 0]]],
  ]);
}

describe('a body in protobuf', () => {
  it.each([
    [
      'a resource',
      review([
        [
          1,
          [
            [1, ''],
            [2, 'get'],
            [3, 'demo.example.com'],
            [5, 'persons'],
          ],
        ],
      ]),
    ],
    [
      'a path',
      review([
        [
          2,
          [
            [1, '/healthz'],
            [2, 'get'],
          ],
        ],
      ]),
    ],
  ])('is a review of %s', async (_what, body) => {
    for (const type of [PROTOBUF_TYPE, 'Application/VND.kubernetes.protobuf; charset=x']) {
      const answer = await post(REVIEW, body, type);
      expect([answer.status, answer.json()]).toMatchObject([201, { status: { allowed: true } }]);
    }
  });

  it('is 400 when it is malformed, with the place', async () => {
    const answer = await post(REVIEW, review([[1, 7]]));
    expect([answer.status, answer.json().message]).toEqual([
      400,
      expect.stringMatching(/at byte \d+ \(field resourceAttributes of api\.authorization\.v1\.SelfSubject/),
    ]);
  });

  it('is 415 when its kind has no protobuf, and 400 for a model of another kind', async () => {
    expect((await post(PERSONS, kubernetesBody('demo.example.com/v1alpha1', 'Person', []))).status).toBe(415);
    expect((await post(PERSONS, kubernetesBody('v1', 'Secret', [[1, [[1, 'ann']]]]))).status).toBe(400);
  });
});
