import { isRecord } from '../../lib/json/json.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { objectAnswer, queryParameter } from '../../openapi/platform.js';
import { objectSchema, text } from '../../openapi/schema-parts.js';
import { addWarnings, sendLarge } from '../answer/respond.js';
import { readQuery, type PlatformEndpoint, type PlatformHandler } from '../platform/endpoint.js';
import { METRICS } from './metrics-endpoint.js';
import { readTime } from './read-time.js';
import { SLOW_SECONDS, type ServiceLogEntry } from './service-log.js';
import type { Platform } from '../platform/platform.js';

const TOPIC = 'service log';
const time = { ...text, format: 'date-time' };

/** The last events of the service, with the right to the metrics. */
export const SERVICE_LOG: PlatformEndpoint = {
  method: 'GET',
  path: `${METRICS.path}/log`,
  right: { path: METRICS.path },
  operation: {
    operationId: 'GetServiceLog',
    summary: `The last warnings, errors, failed requests, and requests of ${SLOW_SECONDS} seconds or longer`,
    description: 'Kept in memory, from the start of the service on.',
    parameters: [
      queryParameter('from', 'Only entries from an RFC 3339 time on, or an age such as `15m`. Default: all.'),
      queryParameter('to', 'Only entries until an RFC 3339 time, or an age. Default: all.'),
    ],
    answer: objectAnswer('The entries, oldest first.', 'ServiceLog'),
    errors: ['BadRequest', ...EVERYWHERE],
    schemas: {
      ServiceLog: objectSchema({
        keptSince: { ...time, description: 'All entries since then are kept.' },
        entries: { type: 'array', items: { $ref: '#/components/schemas/ServiceLogEntry' } },
      }),
      ServiceLogEntry: objectSchema({
        time,
        level: { type: 'string', enum: ['info', 'warn', 'error'] },
        message: text,
      }),
    },
  },
  warn: addWarnings,
  handler: logHandler,
};

interface ProcessLog {
  readonly keptSinceMs: number;
  readonly entries: readonly ServiceLogEntry[];
}

function logHandler({ serviceLog: log, peers }: Platform): PlatformHandler {
  const readOwn = (fromMs: number, toMs: number): ProcessLog => ({
    keptSinceMs: log.keptSinceMs,
    entries: log.between(fromMs, toMs),
  });
  peers?.onAsked(TOPIC, (question) => {
    const asked: unknown = JSON.parse(question);
    const { fromMs, toMs } = isRecord(asked) ? asked : {};
    return Promise.resolve(JSON.stringify(readOwn(Number(fromMs), Number(toMs))));
  });
  return async (req, res) => {
    const query = readQuery(req);
    const nowMs = Date.now();
    const fromMs = readTime(query, 'from', nowMs) ?? 0;
    const toMs = readTime(query, 'to', nowMs) ?? Number.MAX_SAFE_INTEGER;
    const answers = (await peers?.ask(TOPIC, JSON.stringify({ fromMs, toMs }))) ?? [];
    const all = [readOwn(fromMs, toMs), ...answers.map((answer) => JSON.parse(answer) as ProcessLog)];
    const entries = all.flatMap((one) => one.entries).sort((a, b) => (a.time < b.time ? -1 : 1));
    const keptSince = new Date(Math.max(...all.map((one) => one.keptSinceMs))).toISOString();
    await sendLarge(req, res, { keptSince, entries });
  };
}
