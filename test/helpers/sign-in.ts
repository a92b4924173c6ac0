import type { DaemonProcess } from './daemon.js';
import type { Visit, Visitor } from './visitor.js';

export const CALLBACK = '/console/oidc/callback';
export const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** Goes to the issuer and back, up to the address of the callback, which is not opened. */
export async function goToIssuer(visitor: Visitor, { url }: DaemonProcess): Promise<string> {
  return (await visitor.follow(`${url}/console/oidc/start`, (next) => next.startsWith(url + CALLBACK))).url;
}

export async function signIn(visitor: Visitor, daemon: DaemonProcess): Promise<Visit> {
  return visitor.open(await goToIssuer(visitor, daemon));
}

/** The status of a request of a page of the service, and the user. */
export async function userAt(visitor: Visitor, { url }: DaemonProcess): Promise<unknown[]> {
  const headers = { Origin: url, 'Content-Type': 'application/json' };
  const { status, text } = await visitor.open(url + WHO, { method: 'POST', body: '{}', headers });
  return [status, /"username":"([^"]*)"/.exec(text)?.[1]];
}
