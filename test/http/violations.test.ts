import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERSONS, person, startTestServer, type HttpAnswer, type TestServer } from '../helpers/http.js';
import { removeDirectories } from '../helpers/store.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

function withUnknown(count: number): Promise<HttpAnswer> {
  const unknown = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]));
  return server.send('POST', `${PERSONS}?fieldValidation=Strict`, { body: person('ann', unknown) });
}

describe('the causes of a refused object', () => {
  it.each([1, 200])('are all in the answer when there are %i', async (count) => {
    const answer = await withUnknown(count);
    expect(answer.status).toBe(422);
    expect(answer.json().details.causes).toHaveLength(count);
    expect(answer.json().message).not.toContain('causes has');
  });

  it.each([
    [201, '1 more is left out'],
    [900, '700 more are left out'],
    [90_000, 'at least 800 more are left out'],
  ])('end at 200 of %i, and the message says how many more there are', async (count, words) => {
    const answer = await withUnknown(count);
    expect(answer.status).toBe(422);
    const { details, message } = answer.json();
    expect(details.causes).toHaveLength(200);
    expect(details.causes[199]?.field).toBe('spec.f199');
    expect(message).toContain(`; causes has the first 200, ${words}`);
    expect(answer.text.length).toBeLessThan(50_000);
  });
});
