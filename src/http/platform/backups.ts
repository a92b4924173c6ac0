import type { Express } from 'express';
import { sent } from '../answer/drain.js';
import { longWork } from './long-work.js';
import { refuseMethod } from '../guards/methods.js';

/** The path for creating backups. For roles this is `create` of `backups` in `api.platform.run`. */
export const BACKUPS_PATH = '/apis/api.platform.run/v1alpha1/backups';

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

export interface BackupsOptions {
  /** A client that reads nothing for this time is cut off, in milliseconds. */
  readonly stallMs: number;
  /** Interval of interim answers (102) to a waiting client, in milliseconds. Default 30 s. */
  readonly aliveMs?: number;
}

/**
 * `POST` answers with a backup as one file. It is created before the answer begins, so that a slow client keeps no
 * snapshot of the store open.
 */
export function addBackups(app: Express, make: MakeBackup, { stallMs, aliveMs }: BackupsOptions): void {
  app
    .route(BACKUPS_PATH)
    .post(async (req, res) => {
      const backup = await longWork(req, res, make, aliveMs);
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
    })
    .all((req, res) => {
      throw refuseMethod(res, req.method, ['POST']);
    });
}
