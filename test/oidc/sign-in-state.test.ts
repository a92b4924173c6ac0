import { expect, it } from 'vitest';
import { SignInStates } from '../../src/oidc/sign-in-state.js';

const STATE = {
  state: 'a state',
  nonce: 'a nonce',
  verifier: 'a verifier',
  redirectUri: 'http://127.0.0.1:8090/console/oidc/callback',
  expiresMs: 1_000,
};
const states = new SignInStates(Buffer.from('secret'));
const bodyOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

it('a state is read by each process with the secret of the store, until it ends', () => {
  const text = states.write(STATE);
  expect(new SignInStates(Buffer.from('secret')).read(text, 999)).toEqual(STATE);
  expect(states.read(text, 1_000)).toBeUndefined();
  expect(new SignInStates(Buffer.from('other')).read(text, 0)).toBeUndefined();
});

it('a state that was changed, cut or made by others is not read', () => {
  const text = states.write(STATE);
  const [body = '', signature = ''] = text.split('.');
  for (const forged of [
    '',
    '.',
    'x',
    body,
    `${body}.`,
    `.${signature}`,
    `${body}.${signature.slice(1)}`,
    `${body}.${'A'.repeat(signature.length)}`,
    `${bodyOf({ ...STATE, expiresMs: 1e15 })}.${signature}`,
    `${bodyOf({ ...STATE, redirectUri: 'https://evil.example.com/' })}.${signature}`,
    `${body}x.${signature}`,
  ])
    expect(states.read(forged, 0), forged).toBeUndefined();
});
