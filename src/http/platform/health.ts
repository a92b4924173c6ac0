import type { Request, Response } from 'express';
import { ServiceError } from '../../errors.js';
import { queryParameter } from '../../openapi/platform.js';
import { text } from '../../openapi/schema-parts.js';
import type { PlatformEndpoint } from './endpoint.js';
import type { HealthCheck, Platform } from './platform.js';

/** Met whenever the process answers. */
const PING: HealthCheck = { name: 'ping', problem: () => undefined };

export const HEALTH: readonly PlatformEndpoint[] = [
  // A process that answers is alive, even when it waits for something.
  healthEndpoint('livez', 'GetLiveness', 'Liveness of the service', () => [PING]),
  healthEndpoint('readyz', 'GetReadiness', 'Readiness of the service', ({ readiness }) => [
    PING,
    ...readiness,
  ]),
  healthEndpoint('healthz', 'GetHealth', 'Health of the service', ({ readiness }) => [PING, ...readiness]),
];

function healthEndpoint(
  name: string,
  operationId: string,
  summary: string,
  getChecks: (platform: Platform) => readonly HealthCheck[],
): PlatformEndpoint {
  const verbose = queryParameter(
    'verbose',
    'When present, lists every check with the reason of its failure.',
    { allowEmptyValue: true, schema: { type: 'boolean' } },
  );
  return {
    method: 'GET',
    path: `/${name}`,
    // Probes have no tokens.
    right: 'everyone',
    operation: {
      operationId,
      summary,
      parameters: [verbose],
      answer: { description: 'It is.', content: { 'text/plain': { schema: text, example: 'ok' } } },
      errors: ['ServiceUnavailable'],
    },
    handler: (platform) => {
      const checks = getChecks(platform);
      return (req, res) => answer(req, res, name, checks);
    },
  };
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
    const lines = [...results.map(formatLine), verdict, ''].join('\n');
    res
      .status(failed === undefined ? 200 : 503)
      .type('text/plain')
      .send(lines);
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
