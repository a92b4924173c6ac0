import path from 'node:path';
import { getMessage } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { SignInClient } from '../../oidc/client.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { withFileLock } from '../remote/file-lock.js';
import { readPrivate, writePrivate } from '../remote/private-file.js';
import { isSameServer, isServerUrl } from '../remote/server-url.js';

/** A person's sign-in at one server. */
export interface SavedSignIn extends SignInClient {
  /** The server that receives the ID token; no other one does. */
  readonly server: string;
  readonly idToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Undefined when the issuer has given none: the sign-in ends with the ID token. */
  readonly refreshToken?: string;
}

type FileIo = Pick<CliIo, 'env'>;

const WHAT = 'file of credentials';

function fileOf({ env: { HOME: home = '' } }: FileIo): string | undefined {
  return home === '' ? undefined : path.join(home, '.config', 'xsvc', 'credentials.json');
}

/**
 * Reads the sign-ins; none without a file.
 * @throws UsageError for a file that others can read, and for an invalid one
 */
export async function readCredentials(io: FileIo): Promise<readonly SavedSignIn[]> {
  const file = fileOf(io);
  const text = file === undefined ? undefined : await readPrivate(file, WHAT);
  if (file === undefined || text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${getMessage(error)}`);
  }
  const list: unknown = isRecord(value) ? value.credentials : undefined;
  if (!Array.isArray(list) || !list.every(isCredential))
    throw new UsageError(`${file} is not a ${WHAT}; remove it, and run xsvc login`);
  return list;
}

/** The sign-in at a server. @throws UsageError as {@link readCredentials} */
export async function findCredential(io: FileIo, server: string): Promise<SavedSignIn | undefined> {
  return (await readCredentials(io)).find((one) => isSameServer(one.server, server));
}

/**
 * Replaces the sign-in at a server. Other processes that change the file wait meanwhile: many issuers
 * accept a refresh token only once.
 * @param change makes the new one from the present one; undefined to remove it
 * @returns the earlier and the new sign-in
 */
export async function changeCredential(
  io: FileIo,
  server: string,
  change: (present: SavedSignIn | undefined) => Promise<SavedSignIn | undefined> | undefined,
): Promise<{ readonly oldSignIn: SavedSignIn | undefined; readonly newSignIn: SavedSignIn | undefined }> {
  const file = fileOf(io);
  if (file === undefined) throw new UsageError(`there is no place for a ${WHAT}; set HOME`);
  return withFileLock(file, async () => {
    const oldSignIn = await findCredential(io, server);
    const newSignIn = await change(oldSignIn);
    if (newSignIn === oldSignIn) return { oldSignIn, newSignIn };
    const signIns = (await readCredentials(io)).filter((signIn) => !isSameServer(signIn.server, server));
    const credentials = newSignIn === undefined ? signIns : [...signIns, newSignIn];
    await writePrivate(file, `${JSON.stringify({ credentials }, undefined, 2)}\n`);
    return { oldSignIn, newSignIn };
  });
}

function isCredential(value: unknown): value is SavedSignIn {
  if (!isRecord(value)) return false;
  const { server, issuer, clientId, idToken, expiresAt, refreshToken } = value;
  return (
    [server, issuer, clientId, idToken].every((text) => typeof text === 'string') &&
    typeof server === 'string' &&
    isServerUrl(server) &&
    typeof expiresAt === 'number' &&
    (refreshToken === undefined || typeof refreshToken === 'string')
  );
}
