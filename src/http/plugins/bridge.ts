import type { Express } from 'express';
import { notFound } from '../../errors.js';
import { isKnown } from '../answer/entity-tag.js';
import type { PageFiles } from '../console/page-files.js';
import { BRIDGE_PATH } from '../guards/pages.js';

const FILE = 'bridge.js';

/** The script that connects a page of a plugin with the console. Pages in the sandbox have no origin, and load it from there. */
export function addBridge(app: Express, files: PageFiles | undefined): void {
  if (files === undefined) return;
  app.get(BRIDGE_PATH, async (req, res) => {
    const file = await files.find(FILE);
    if (file === undefined) throw notFound(`nothing is served at ${BRIDGE_PATH}: the console is not built`);
    const tag = `"${file.tag}"`;
    res.set({
      ETag: tag,
      'Cache-Control': 'no-cache',
      'Content-Type': file.type,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    if (isKnown(req, tag)) res.status(304).end();
    else
      res
        .set('Content-Length', String(file.bytes.length))
        .end(req.method === 'HEAD' ? undefined : file.bytes);
  });
}
