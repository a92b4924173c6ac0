import { useEvent } from '../../lib/use-event.js';
import { formatRoute } from '../../routes/route.js';

export const BOARD_URL = formatRoute({ page: 'plain', path: 'access' });
export const NEW_ROLE_URL = getUrl('new', 'role');

export function getUserUrl(name: string): string {
  return getUrl('user', name);
}

export function getGroupUrl(name: string): string {
  return getUrl('group', name);
}

export function getRoleUrl(name: string): string {
  return getUrl('role', name);
}

function getUrl(parameter: string, value: string): string {
  return `${BOARD_URL}?${new URLSearchParams({ [parameter]: value }).toString()}`;
}

/** The part of the access page on display, by the parameters of its URL. */
export function usePlace(): URLSearchParams {
  const hash = useEvent(window, 'hashchange', () => location.hash);
  return new URLSearchParams(hash.split('?').slice(1).join('?'));
}
