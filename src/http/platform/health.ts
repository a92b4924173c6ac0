import type { Express, Request, Response } from 'express';
import { ServiceError } from '../../errors.js';
import { addGet } from './get-route.js';

/** A condition for the readiness of the service. */
export interface HealthCheck {
  readonly name: string;
  /** The reason why it is not met; undefined when it is. */
  problem(): string | undefined;
  /** Additional information about it. */
  detail?(): string | undefined;
}

/** Met whenever the process answers. */
const PING: HealthCheck = { name: 'ping', problem: () => undefined };

/** `/livez`: the process answers. `/readyz`, `/healthz`: all checks are met. */
export function addHealth(app: Express, readiness: readonly HealthCheck[]): void {
  const checks = [PING, ...readiness];
  addGet(app, '/livez', (req, res) => answer(req, res, 'livez', [PING]));
  addGet(app, '/readyz', (req, res) => answer(req, res, 'readyz', checks));
  addGet(app, '/healthz', (req, res) => answer(req, res, 'healthz', checks));
}

/**
 * `ok`, or an error with the first reason. With the parameter `verbose`, every check in the lines of Kubernetes'
 * format.
 * @throws ServiceError `ServiceUnavailable`
 */
function answer(req: Request, res: Response, path: string, checks: readonly HealthCheck[]): void {
  const results = checks.map((check) => ({
    name: check.name,
    problem: check.problem(),
    detail: check.detail?.(),
  }));
  const failed = results.find(({ problem }) => problem !== undefined)?.problem;
  if ('verbose' in req.query) {
    if (failed !== undefined) res.setHeader('Retry-After', '1');
    const verdict = `${path} check ${failed === undefined ? 'passed' : 'failed'}`;
    const text = [...results.map(formatLine), verdict, ''].join('\n');
    res
      .status(failed === undefined ? 200 : 503)
      .type('text/plain')
      .send(text);
    return;
  }
  if (failed !== undefined) throw new ServiceError('ServiceUnavailable', failed, { retryAfterSeconds: 1 });
  res.type('text/plain').send('ok');
}

interface Result extends Pick<HealthCheck, 'name'> {
  readonly problem: string | undefined;
  readonly detail: string | undefined;
}

function formatLine({ name, problem, detail }: Result): string {
  const ok = detail === undefined ? 'ok' : `ok: ${detail}`;
  return problem === undefined ? `[+]${name} ${ok}` : `[-]${name} failed: ${problem.replace(/\s+/g, ' ')}`;
}
