import { describe, expect, it } from 'vitest';
import { SESSIONS, USERS } from '../../src/access/models.js';
import { newSessionSecret } from '../../src/access/token.js';
import { getApiVersion } from '../../src/model/resource.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { MEMO, MEMOS, registerNotes } from '../helpers/limited-notes.js';

const t = useGuardedLibrary({ register: registerNotes, mcp: 'write' });
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const memo = {
  apiVersion: getApiVersion(MEMO),
  kind: MEMO.kind,
  metadata: { name: 'a' },
  spec: { title: 'x' },
};

/** Begins a session of a new user who may do everything. @returns its cookie */
async function session(user: string, lastsMs = 60_000): Promise<{ cookie: string; id: string }> {
  await t.tokenFor(user, ALL);
  const { uid } = (await t.service().get(USERS, user)).metadata;
  const { token, id, sha256 } = newSessionSecret();
  const expirationTimestamp = new Date(Date.now() + lastsMs).toISOString();
  const spec = { user, userUID: uid, sha256, groups: [], expirationTimestamp };
  await t.service().create(SESSIONS, { metadata: { name: id }, spec });
  return { cookie: `xsvc-session-${new URL(t.url()).port}=${token}`, id };
}

const send = async (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<number> => {
  const type = headers['content-type'] ?? 'application/json';
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${t.url()}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': type }) },
    ...init,
  });
  await answer.arrayBuffer();
  return answer.status;
};

describe('a session', () => {
  it('ends at its time, with its object, and with its user', async () => {
    const late = await session('late', 1_500);
    expect(await send('GET', MEMOS, { cookie: late.cookie })).toBe(200);
    const gone = await session('gone');
    const off = await session('off');
    for (const { cookie } of [gone, off]) expect(await send('GET', MEMOS, { cookie })).toBe(200);
    await t.service().delete(SESSIONS, gone.id);
    await t.service().patch(USERS, 'off', { spec: { disabled: true } }, 'merge');
    for (const { cookie } of [gone, off]) expect(await send('GET', MEMOS, { cookie })).toBe(401);
    await expect.poll(() => send('GET', MEMOS, { cookie: late.cookie }), { timeout: 10_000 }).toBe(401);
  });

  it('writes by no door for pages of other origins, and for senders that name no page', async () => {
    const { cookie } = await session('ada');
    const apply = 'application/apply-patch+yaml';
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const doors = [
      ['POST', MEMOS, memo],
      ['PUT', `${MEMOS}/a`, memo],
      ['PATCH', `${MEMOS}/a?fieldManager=m`, memo, apply],
      ['DELETE', `${MEMOS}/a`],
      ['POST', '/apis/api.platform.run/v1alpha1/batches', { items: [{ verb: 'create', object: memo }] }],
      ['POST', '/apis/api.platform.run/v1alpha1/undos', { revision: '1' }],
      ['POST', '/apis/api.platform.run/v1alpha1/watchtickets', { path: `${MEMOS}?watch=true` }],
      ['POST', '/mcp', call],
    ] as const;
    for (const page of [
      {},
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
      { origin: 'http://localhost:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: t.url(), 'sec-fetch-site': 'cross-site' },
    ])
      for (const [method, path, body, type = 'application/json'] of doors) {
        const status = await send(method, path, { cookie, ...page, 'content-type': type }, body);
        expect([page, method, path, [401, 403].includes(status)]).toEqual([page, method, path, true]);
      }
    expect(await t.service().listNames(MEMO)).toEqual([]);
    const own = { cookie, origin: t.url(), 'content-type': apply };
    expect(await send('PATCH', `${MEMOS}/a?fieldManager=m`, own, memo)).toBe(201);
    expect(await send('POST', '/mcp', { cookie, origin: t.url() }, call)).toBe(200);
  });

  it('is not found under another name, twice, or as a token', async () => {
    const { cookie } = await session('ada');
    const secret = cookie.slice(cookie.indexOf('=') + 1);
    for (const headers of [
      { cookie: `xsvc-session=${secret}` },
      { cookie: `__Host-${cookie}` },
      { cookie: `${cookie}; ${cookie}` },
      { cookie: `${cookie}x` },
      { authorization: `Bearer ${secret}` },
      { cookie, authorization: 'Bearer xsvc_wrong' },
    ])
      expect([headers, await send('GET', MEMOS, headers as Record<string, string>)]).toEqual([headers, 401]);
  });
});
