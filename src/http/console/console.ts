import type { Request, Response } from 'express';
import { formatExcerpt, notFound } from '../../errors.js';
import { isKnown } from '../answer/entity-tag.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';
import { CONSOLE_PATH } from '../guards/pages.js';
import type { PageFile } from './page-files.js';

const INDEX = 'index.html';

/** The page loads, calls, shows and frames only the service itself, and no other page may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  // Pages of plugins, which are sandboxed.
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const YEAR_SECONDS = 31_536_000;

/** The page for browsing and editing objects, and its files. They do not depend on stored data or the user. */
export const CONSOLE: readonly PlatformEndpoint[] = [
  {
    method: 'GET',
    path: CONSOLE_PATH,
    handler: ({ console: files }) =>
      files &&
      (async (req, res) => {
        // The page's files are named relative to its URL.
        if (!req.path.endsWith('/')) res.redirect(308, CONSOLE_PATH);
        else sendFile(req, res, found(await files.find(INDEX), CONSOLE_PATH));
      }),
  },
  {
    method: 'GET',
    path: `${CONSOLE_PATH}:file`,
    handler: ({ console: files }) =>
      files &&
      (async (req, res) => {
        const { file } = req.params;
        sendFile(req, res, found(typeof file === 'string' ? await files.find(file) : undefined, req.path));
      }),
  },
];

function found(file: PageFile | undefined, path: string): PageFile {
  if (file !== undefined) return file;
  const hint = path === CONSOLE_PATH ? '; the console is not built; run npm run build' : '';
  throw notFound(`nothing is served at ${formatExcerpt(path)}${hint}`);
}

function sendFile(req: Request, res: Response, file: PageFile): void {
  const isZipped = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const tag = `"${file.tag}${isZipped ? '-gzip' : ''}"`;
  res.set({
    ETag: tag,
    Vary: 'Accept-Encoding',
    'Cache-Control': file.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
  });
  if (isKnown(req, tag)) {
    res.status(304).end();
    return;
  }
  const body = isZipped ? file.gzipped : file.bytes;
  if (isZipped) res.set('Content-Encoding', 'gzip');
  res.set({ 'Content-Type': file.type, 'Content-Length': String(body.length) });
  res.end(req.method === 'HEAD' ? undefined : body);
}
