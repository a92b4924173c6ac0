import { useEvent } from '../../lib/use-event.js';
import { formatRoute } from '../../routes/route.js';

/** The part of the access page on display, by the parameters of its URL. */
export type Place =
  | { readonly kind: 'board' }
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'role'; readonly name: string }
  | { readonly kind: 'newRole' };

const ACCESS = formatRoute({ page: 'plain', path: 'access' });

export const BOARD_URL = ACCESS;
export const NEW_ROLE_URL = `${ACCESS}?new=role`;

export function getUserUrl(name: string): string {
  return `${ACCESS}?${new URLSearchParams({ user: name }).toString()}`;
}

export function getRoleUrl(name: string): string {
  return `${ACCESS}?${new URLSearchParams({ role: name }).toString()}`;
}

export function parsePlace(hash: string): Place {
  const parameters = new URLSearchParams(hash.split('?').slice(1).join('?'));
  const [user, role] = ['user', 'role'].map((name) => parameters.get(name) ?? '');
  if (user) return { kind: 'user', name: user };
  if (role) return { kind: 'role', name: role };
  return { kind: parameters.get('new') === 'role' ? 'newRole' : 'board' };
}

export function usePlace(): Place {
  return parsePlace(useEvent(window, 'hashchange', () => location.hash));
}
