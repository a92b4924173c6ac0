import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { getVerb } from '../guards/access-guard.js';
import { refuseMethod } from '../guards/methods.js';
import { ASSETS_PREFIX } from '../guards/pages.js';
import { nameRoute } from '../metrics/request-metrics.js';
import { decodeSegment } from '../routes/route.js';

/** Below a plugin's directory: what is served of it. */
const PUBLIC = 'public';

const HEADERS = {
  // A page of a plugin may run scripts and send forms, but it is not taken for a page of the service.
  'Content-Security-Policy': 'sandbox allow-scripts allow-forms',
  // Such a page is of no origin, and loads its files from there.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'no-cache',
};

interface Assets {
  readonly root: string;
  readonly serve: RequestHandler;
}

/** The files that started plugins show to browsers. */
export class PluginAssets {
  readonly #plugins = new Map<string, Assets>();

  /** Serves `public/` of a plugin's directory from now on, whether it is there already or not. */
  add(plugin: string, directory: string): void {
    const root = path.join(directory, PUBLIC);
    const serve = express.static(root, { cacheControl: false });
    this.#plugins.set(plugin, { root, serve });
  }

  /** None is no error. */
  remove(plugin: string): void {
    this.#plugins.delete(plugin);
  }

  find(plugin: string): Assets | undefined {
    return this.#plugins.get(plugin);
  }
}

/** `GET /plugins/<name>/assets/<file>`; of a directory its `index.html`. */
export function addPluginAssets(app: Express, assets: PluginAssets): void {
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
    res.set(HEADERS);
    serveBelow(found.serve, req, res, next);
  });
}

/**
 * Whether there is a file or a directory at a path as it is sent, and neither the path nor a link in it leads out of the
 * root. Nothing else is opened: to open a named pipe would take one of the few threads that read files.
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
      // A range may be ignored (RFC 9110, section 14.2): the file is shorter than the client believes.
      delete req.headers.range;
      res.removeHeader('Content-Range');
      serveBelow(serve, req, res, next);
      return;
    }
    for (const name of Object.keys(HEADERS)) res.removeHeader(name);
    next(error);
  });
}
