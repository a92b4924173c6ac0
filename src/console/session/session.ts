import { queries } from '../api/queries.js';
import { KeptText } from '../lib/storage.js';
import { Store } from '../lib/store.js';

/** Only the tab stores it, until it is closed. Swagger UI uses the same key, so that one sign-in is enough. */
const kept = new KeptText('sessionStorage', 'xsvc-token');

/** The address from `#` on, when a sign-in at the issuer begins. */
const place = new KeptText('sessionStorage', 'xsvc-place');

export interface Session {
  readonly token: string | undefined;
  /** True when the service requires a token, or another one. */
  readonly isAsked: boolean;
  /** Changes with each sign-out, so that the next user gets none of the page's data. */
  readonly number: number;
}

/** Starts a sign-in at the issuer of the service. */
export const SIGN_IN_URL = '/console/oidc/start';
const SIGN_OUT_URL = '/console/oidc/signout';

export function keepPlace(): void {
  place.set(location.hash);
}

/** Shows the place again after the return from the issuer. The stored text never leads to another page. */
export function returnToPlace(): void {
  const hash = place.get();
  place.set(undefined);
  if (hash?.startsWith('#/') === true && location.hash === '') location.replace(hash);
}

export const session = new Store<Session>({
  token: kept.get(),
  isAsked: false,
  number: 0,
});

/** Called when the service refused a request with this token, or without one. */
export function askForToken(refused: string | undefined): void {
  const now = session.get();
  // A late answer does not apply to a newer token.
  if (refused !== now.token) return;
  kept.set(undefined);
  session.set({ ...now, token: undefined, isAsked: true });
}

export function signIn(token: string): void {
  kept.set(token);
  session.set({ ...session.get(), token, isAsked: false });
}

export function signOut(): void {
  // The cookie of a sign-in at an issuer cannot be removed here. Without one, nothing happens.
  // The request goes on when the page is closed at once.
  if (session.get().token === undefined)
    void fetch(SIGN_OUT_URL, { method: 'POST', keepalive: true }).catch(() => undefined);
  kept.set(undefined);
  queries.clear();
  session.set({ token: undefined, isAsked: true, number: session.get().number + 1 });
}
