import { describe, expect, it } from 'vitest';
import { isSubjectName, SUBJECT_NAME_RULE } from '../../src/access/identity/subject-name.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';

const t = useGuardedLibrary();
const BASE = '/apis/access.platform.run/v1alpha1';
const WRONG: readonly [string, string][] = [
  ['a line break', 'a\nb'],
  ['a null character', 'a\u0000'],
  ['a line separator', 'a\u2028b'],
  ['a mark of text direction', 'nimda\u202e'],
  ['an isolate', '\u2066a'],
  ['a character without a width', 'ad\u200bmin'],
  ['a blank before it', ' a'],
  ['a blank after it', 'a '],
  ['a wide blank after it', 'a\u3000'],
];

describe('a name of a user or a group', () => {
  it.each<[string, string]>([
    ...WRONG,
    ['nothing', ''],
    ['too many characters', 'a'.repeat(254)],
    ['half a character', '\ud800'],
  ])('with %s is refused everywhere', async (_, name) => {
    expect(isSubjectName(name)).toBe(false);
    const all = await t.tokenFor('all', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const sha256 = '0'.repeat(64);
    const expirationTimestamp = '2999-01-01T00:00:00Z';
    const subject = (kind: string) => ({ subjects: [{ kind, name }] });
    for (const [plural, field, body] of [
      ['users', 'spec.groups[1]', { spec: { groups: ['a', name] } }],
      ['rolebindings', 'subjects[0].name', { roleRef: { kind: 'Role', name: 'x' }, ...subject('User') }],
      ['rolebindings', 'subjects[0].name', { roleRef: { kind: 'Role', name: 'x' }, ...subject('Group') }],
      ['tokens', 'spec.user', { spec: { user: name, userUID: 'x', sha256 } }],
      ['sessions', 'spec.user', { spec: { user: name, userUID: 'x', sha256, expirationTimestamp } }],
    ] as const) {
      const answer = await t.as(all, 'POST', `${BASE}/${plural}`, {
        metadata: { name: 'a'.repeat(20) },
        ...body,
      });
      const { code, details } = answer.json();
      const fields = JSON.stringify(details);
      // Half a character is refused with the body.
      if (name.isWellFormed())
        expect([plural, code, fields]).toEqual([plural, 422, expect.stringContaining(field)]);
      else expect(code).toBeOneOf([400, 422]);
    }
  });

  it.each([
    'ada',
    'Ada Lovelace',
    'oidc:ada@example.com',
    'CN=Ada,O=x/y',
    'Zoë',
    'می\u200cخواهم',
    '愛',
    'a'.repeat(253),
  ])('may be %s', async (name) => {
    expect(isSubjectName(name)).toBe(true);
    const all = await t.tokenFor('all', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const spec = { groups: [name] };
    expect((await t.as(all, 'POST', `${BASE}/users`, { metadata: { name: 'a' }, spec })).status).toBe(201);
  });

  it('is refused with its rule', async () => {
    const all = await t.tokenFor('all', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const body = { metadata: { name: 'a' }, spec: { groups: ['a\nb'] } };
    const answer = await t.as(all, 'POST', `${BASE}/users`, body);
    expect(answer.json().message).toContain(SUBJECT_NAME_RULE);
  });
});
