import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { IssuedUser } from '../../access/identity/issued-user.js';
import { isSubjectName } from '../../access/identity/subject-name.js';
import { ANONYMOUS } from '../../model/system-users.js';

/** The holder of a certificate, or the reason why it is not accepted. */
export interface ShownCertificate {
  readonly holder?: IssuedUser;
  readonly fault?: string;
}

/** By connection: its requests have the same user. */
const shown = new WeakMap<Socket, ShownCertificate>();

/**
 * The certificate that the client of a connection has shown: its common name is the user, and its organizations are the
 * groups. Undefined without a certificate, for one without a common name, and when clients are not asked for one.
 */
export function certificateOf(socket: Socket): ShownCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const known = shown.get(socket);
  if (known !== undefined) return known;
  const certificate = read(socket);
  if (certificate !== undefined) shown.set(socket, certificate);
  return certificate;
}

function read(socket: TLSSocket): ShownCertificate | undefined {
  // It is empty without a certificate, contrary to its type.
  const { subject, valid_to: end } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  if (subject === undefined || end === undefined) return undefined;
  // Contrary to its type, it is the code of an error.
  if (!socket.authorized) return { fault: String(socket.authorizationError) };
  const { CN: names = [], O: groups = [] }: Names = subject;
  const [user, ...more] = [names].flat();
  if (user === undefined || user === '') return undefined;
  const organizations = [groups].flat().filter((name) => name !== '');
  if (more.length > 0) return { fault: 'it has several common names' };
  if (user === ANONYMOUS || ![user, ...organizations].every(isSubjectName))
    return { fault: 'its common name or an organization is not allowed' };
  return { holder: { user, groups: [...new Set(organizations)], expiresAt: Date.parse(end) } };
}

/** A repeated part of a name is a list. */
type Names = Readonly<Partial<Record<string, string | string[]>>>;
