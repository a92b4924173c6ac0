import { formatExcerpt, getMessage } from '../errors.js';

/** Why an issuer has refused a request. */
export interface IssuerRefusal {
  /** The error code of OAuth; undefined when the issuer has not answered, or said none. */
  readonly code: string | undefined;
  /** The beginning of a text of the issuer, or the message of the error. It is not safe for a terminal. */
  readonly reason: string;
}

const REASON_LENGTH_MAX = 200;

/** Reads an error of the library. Its message says where the reason is, not what it is. */
export function readRefusal(error: unknown): IssuerRefusal {
  const code = textIn(error, 'error') ?? (isChallenge(error) ? 'invalid_client' : undefined);
  const reason = textIn(error, 'error_description') ?? code ?? getMessage(error);
  return { code, reason: formatExcerpt(reason, REASON_LENGTH_MAX) };
}

/** An issuer that does not accept the secret of a client answers with a header, which the library reports instead of the body. */
function isChallenge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE';
}

function textIn(error: unknown, member: 'error' | 'error_description'): string | undefined {
  if (!(error instanceof Error) || !(member in error)) return undefined;
  const value: unknown = Reflect.get(error, member);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
