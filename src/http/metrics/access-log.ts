import type { Request, Response } from 'express';
import { findUser, getVerb } from '../guards/access-guard.js';
import { findAction } from '../platform/rights.js';
import type { FindModel } from '../routes/route.js';

/** One answered request. */
export interface AccessLogEntry {
  /** Null for an unknown user. */
  readonly user: string | null;
  /** As named by roles. */
  readonly verb: string;
  /** Without the query, which may contain private data. */
  readonly path: string;
  /** The answer's status; 499 when the client disconnected before it. */
  readonly code: number;
  /** From the request's head to the end of the answer. */
  readonly ms: number;
  /** Size of the answer's body. */
  readonly bytes: number;
}

const PATH_LENGTH_MAX = 1_000;
const GONE = 499;

/** Logs a request after the end of its answer, or a disconnect of the client. */
export function followRequest(
  req: Request,
  res: Response,
  findModel: FindModel,
  write: (entry: AccessLogEntry) => void,
): void {
  const began = performance.now();
  // Express changes the URL while routers run.
  const { method, url } = req;
  const bytes = countBytes(res);
  res.once('close', () => {
    write({
      user: findUser(res) ?? null,
      verb: verbAsked(method, url, findModel),
      path: (url.split('?', 1)[0] ?? '').slice(0, PATH_LENGTH_MAX),
      code: res.headersSent ? res.statusCode : GONE,
      ms: Math.round((performance.now() - began) * 1_000) / 1_000,
      bytes: bytes(),
    });
  });
}

function verbAsked(method: string, url: string, findModel: FindModel): string {
  try {
    return findAction(method, url, findModel)?.verb ?? getVerb(method);
  } catch {
    // An invalid URL has no action.
    return getVerb(method);
  }
}

/** Counts bytes that are written from now on. */
function countBytes(res: Response): () => number {
  let bytes = 0;
  const count = (chunk: unknown): void => {
    if (typeof chunk === 'string') bytes += Buffer.byteLength(chunk);
    else if (chunk instanceof Uint8Array) bytes += chunk.length;
  };
  for (const name of ['write', 'end'] as const) {
    const send: unknown = Reflect.get(res, name);
    if (typeof send !== 'function') continue;
    const counting = (...given: unknown[]): unknown => {
      count(given[0]);
      return Reflect.apply(send, res, given);
    };
    Object.assign(res, { [name]: counting });
  }
  return () => bytes;
}
