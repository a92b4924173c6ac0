import { queries } from '../api/queries.js';
import { KeptText } from '../lib/storage.js';
import { Store } from '../lib/store.js';

/** The tab alone has it, until it is closed. Swagger UI has the same, so one sign-in does for both. */
const kept = new KeptText('sessionStorage', 'xsvc-token');

export interface Session {
  readonly token: string | undefined;
  /** Whether the service wants a token, or another one. */
  readonly isAsked: boolean;
  /** Another number for each person who signed out: nothing of the page is left for the next one. */
  readonly number: number;
}

export const session = new Store<Session>({
  token: kept.get(),
  isAsked: false,
  number: 0,
});

/** The service refused a request that was sent with this token, or without one. */
export function askForToken(refused: string | undefined): void {
  const now = session.get();
  // A late answer says nothing of a token that came after it.
  if (refused !== now.token) return;
  kept.set(undefined);
  session.set({ ...now, token: undefined, isAsked: true });
}

export function signIn(token: string): void {
  kept.set(token);
  session.set({ ...session.get(), token, isAsked: false });
}

export function signOut(): void {
  kept.set(undefined);
  queries.clear();
  session.set({ token: undefined, isAsked: true, number: session.get().number + 1 });
}
