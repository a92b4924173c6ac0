import { language } from '../../../language.js';
import { session } from '../../../session/session.js';
import type { SendForPage } from './page-requests.js';

/** Sends a request of a page with the token of the session. A refused token is an answer for the page: it signs nobody out. */
export const sendForPage: SendForPage = (url, init) => {
  const { token, isAsked } = session.get();
  if (isAsked) return Promise.reject(new Error('nobody is signed in'));
  const headers = new Headers(init.headers);
  headers.set('Accept-Language', language.get());
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return fetch(url, { ...init, headers });
};
