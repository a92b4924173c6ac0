import { EVERYWHERE } from '../../openapi/common.js';
import { text } from '../../openapi/schema-parts.js';
import { STALL_MS } from '../answer/list/list-response.js';
import { sent } from '../answer/drain.js';
import { API_VERSION, type PlatformEndpoint } from './endpoint.js';
import { longWork } from './long-work.js';

/** The backup is created before the answer begins, so that a slow client keeps no snapshot of the store open. */
export const BACKUPS: PlatformEndpoint = {
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
