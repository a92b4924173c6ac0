import { EVERYWHERE } from '../../openapi/common.js';
import { text } from '../../openapi/schema-parts.js';
import { STALL_MS } from '../answer/list/list-response.js';
import { sent } from '../answer/drain.js';
import { API_VERSION, type PlatformEndpoint } from './endpoint.js';
import { longWork } from './long-work.js';

/** A backup that was created and verified. It must be closed. */
export interface MadeBackup {
  readonly bytes: number;
  /** Its bytes; a part is valid until the next one is requested. */
  parts(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/**
 * Creates a backup of the store.
 * @param signal aborted when the client has disconnected
 * @throws ServiceError `TooManyRequests`, `ServiceUnavailable`, `InternalError`
 */
export type MakeBackup = (signal: AbortSignal) => Promise<MadeBackup>;

export interface BackupNeeds {
  /** Undefined when backups are not offered. */
  readonly makeBackup?: MakeBackup | undefined;
  /** A client that reads nothing for this time is cut off, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
  /** Interval of interim answers (102) to a waiting client, in milliseconds. Default 30 s. */
  readonly aliveMs?: number;
}

/** The backup is created before the answer begins, so that a slow client keeps no snapshot of the store open. */
export const BACKUPS: PlatformEndpoint<BackupNeeds> = {
  method: 'POST',
  path: `/apis/${API_VERSION}/backups`,
  operation: {
    operationId: 'MakeBackup',
    summary: 'Back up the whole store, as one file for xsvc restore',
    answer: {
      description: 'The backup; it contains the SHA-256 of its content.',
      content: { 'application/octet-stream': { schema: { ...text, format: 'binary' } } },
    },
    errors: EVERYWHERE,
  },
  handler: ({ makeBackup, stallMs = STALL_MS, aliveMs }) =>
    makeBackup &&
    (async (req, res) => {
      const backup = await longWork(req, res, makeBackup, aliveMs);
      try {
        res.writeHead(200, {
          'Content-Type': 'application/octet-stream',
          'Content-Length': backup.bytes,
          'Content-Disposition': 'attachment; filename="xsvc.backup"',
        });
        for await (const part of backup.parts()) if (!(await sent(res, part, stallMs))) return;
        res.end();
      } finally {
        await backup.close();
      }
    }),
};
