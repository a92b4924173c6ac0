import type { Express } from 'express';
import { sent } from '../answer/drain.js';
import { longWork } from './long-work.js';
import { refuseMethod } from '../guards/methods.js';

/** Where backups are made. To roles this is `create` of `backups` in `api.platform.run`. */
export const BACKUPS_PATH = '/apis/api.platform.run/v1alpha1/backups';

/** A backup that was made and checked. It must be closed. */
export interface MadeBackup {
  readonly bytes: number;
  /** Its bytes; a part is valid until the next one is asked for. */
  parts(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/**
 * Makes a backup of the store.
 * @param signal aborted when nobody waits for it any more
 * @throws ServiceError `TooManyRequests`, `ServiceUnavailable`, `InternalError`
 */
export type MakeBackup = (signal: AbortSignal) => Promise<MadeBackup>;

export interface BackupsOptions {
  /** A client that takes nothing for so many milliseconds is cut off. */
  readonly stallMs: number;
  /** How often a client that waits is told that the backup is in work (102). Default 30 s. */
  readonly aliveMs?: number;
}

/**
 * `POST` answers with a backup as one file. It is made before the answer begins, so that a client that takes it slowly
 * holds no moment of the store.
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
