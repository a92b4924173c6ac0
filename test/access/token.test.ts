import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasDigest, newToken, tokenId } from '../../src/access/token.js';

describe('a new token', () => {
  it('names its object, and only its digest has to be kept', () => {
    const { token, id, sha256 } = newToken();
    expect(tokenId(token)).toBe(id);
    expect(sha256).toBe(createHash('sha256').update(token).digest('hex'));
    expect(hasDigest(token, sha256)).toBe(true);
  });

  it('is another one each time', () => {
    const tokens = Array.from({ length: 1000 }, newToken);
    expect(new Set(tokens.map(({ id }) => id)).size).toBe(1000);
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(1000);
  });
});

it('a token does not have the digest of another', () => {
  const [one, other] = [newToken(), newToken()];
  expect(hasDigest(one.token, other.sha256)).toBe(false);
  expect(hasDigest(one.token, '')).toBe(false);
  expect(hasDigest(one.token, one.sha256.slice(2))).toBe(false);
});

it.each(['', 'xsvc', 'xsvc__', `xsvc_${'a'.repeat(20)}_${'b'.repeat(42)}`, `xsvc_../../x_${'b'.repeat(43)}`])(
  'a text of another shape is no token (%s)',
  (text) => {
    expect(tokenId(text)).toBeUndefined();
  },
);
