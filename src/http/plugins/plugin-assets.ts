import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { PUBLIC_DIRECTORY, type ConsolePage } from '../../plugin/manifest/console-pages.js';
import { getVerb } from '../guards/access-guard.js';
import { refuseMethod } from '../guards/methods.js';
import { ASSETS_PREFIX } from '../guards/pages.js';
import { nameRoute } from '../metrics/request-metrics.js';
import { decodeSegment } from '../routes/route.js';

type AssetHeaders = Readonly<Record<string, string>>;

/** The headers of files at the origin of plugins. */
export const OWN_ORIGIN: AssetHeaders = { 'Cache-Control': 'no-cache' };

/** The headers of files at the origin of the service. */
export const SANDBOX: AssetHeaders = {
  // A page of a plugin may run scripts and send forms, but browsers do not treat it as a page of the service.
  'Content-Security-Policy': 'sandbox allow-scripts allow-forms',
  // Such a page has no origin, and loads its files from there.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  ...OWN_ORIGIN,
};

interface Assets {
  readonly root: string;
  readonly serve: RequestHandler;
  readonly pages: readonly ConsolePage[];
}

/** A page of a started plugin. */
export interface ServedPage extends ConsolePage {
  readonly plugin: string;
}

/** The files that started plugins serve to browsers. */
export class PluginAssets {
  readonly #plugins = new Map<string, Assets>();

  /** Serves `public/` of a plugin's directory, which need not exist yet. */
  add(plugin: string, directory: string, pages: readonly ConsolePage[] = []): void {
    const root = path.join(directory, PUBLIC_DIRECTORY);
    const serve = express.static(root, { cacheControl: false });
    this.#plugins.set(plugin, { root, serve, pages });
  }

  /** The pages for the console, by the names of their plugins. */
  pages(): readonly ServedPage[] {
    const sorted = [...this.#plugins].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.flatMap(([plugin, { pages }]) => pages.map((page) => ({ plugin, ...page })));
  }

  /** A missing plugin is not an error. */
  remove(plugin: string): void {
    this.#plugins.delete(plugin);
  }

  find(plugin: string): Assets | undefined {
    return this.#plugins.get(plugin);
  }
}

/** `GET /plugins/<name>/assets/<file>`; for a directory its `index.html`. */
export function addPluginAssets(app: Express, assets: PluginAssets, headers: AssetHeaders): void {
  app.use(ASSETS_PREFIX, async (req: Request, res: Response, next: NextFunction) => {
    const [, segment = '', below] = /^\/([^/]+)\/assets(\/.*)?$/s.exec(req.path) ?? [];
    const found = assets.find(decodeSegment(segment));
    if (found === undefined) {
      next();
      return;
    }
    nameRoute(res, `${ASSETS_PREFIX}/{name}/assets/**`, getVerb(req.method));
    if (req.method !== 'GET' && req.method !== 'HEAD') throw refuseMethod(res, req.method, ['GET', 'HEAD']);
    if (!(await isShown(found.root, below ?? '/'))) {
      next();
      return;
    }
    res.set(headers);
    serveBelow(found.serve, req, res, (error) => {
      for (const name of Object.keys(headers)) res.removeHeader(name);
      next(error);
    });
  });
}

/**
 * True when a path as sent is a file or a directory, and neither the path nor a link in it leaves the root. No other
 * kind of file is opened: a named pipe would block one of the few threads that read files.
 */
async function isShown(root: string, sent: string): Promise<boolean> {
  const below = sent.split('/').map(decodeSegment);
  if (below.some((segment) => segment === '..' || /[/\\\0]/.test(segment))) return false;
  const page = sent.endsWith('/') ? 'index.html' : '';
  try {
    const [top, file] = await Promise.all([realpath(root), realpath(path.join(root, ...below, page))]);
    if (file !== top && !file.startsWith(top + path.sep)) return false;
    const found = await stat(file);
    return found.isFile() || found.isDirectory();
  } catch {
    return false;
  }
}

const RANGE_NOT_SATISFIABLE = 416;

function serveBelow(serve: RequestHandler, req: Request, res: Response, next: NextFunction): void {
  const { url } = req;
  req.url = url.replace(/^\/[^/]+\/assets\/?/, '/');
  void serve(req, res, (error?: unknown) => {
    req.url = url;
    if (error instanceof Error && 'status' in error && error.status === RANGE_NOT_SATISFIABLE) {
      // A range may be ignored (RFC 9110, section 14.2): the file is shorter than the client assumes.
      delete req.headers.range;
      res.removeHeader('Content-Range');
      serveBelow(serve, req, res, next);
      return;
    }
    next(error);
  });
}
