import { badRequest, formatExcerpt } from '../../errors.js';
import { SECONDS } from '../../lib/histogram.js';
import { isRecord } from '../../lib/json/json.js';
import { parseSince } from '../../lib/time/since.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { objectAnswer, queryParameter } from '../../openapi/platform.js';
import { objectSchema, text } from '../../openapi/schema-parts.js';
import { addWarnings, sendLarge } from '../answer/respond.js';
import { readQuery, type PlatformEndpoint, type PlatformHandler } from '../platform/endpoint.js';
import { single, type Query } from '../routes/parameters.js';
import { METRICS } from './metrics-endpoint.js';
import { addSamples, type MetricsSample } from './metrics-sample.js';
import { INTERVAL_SECONDS, RecentMetrics } from './recent-metrics.js';
import type { MetricsNeeds } from './service-metrics.js';

const TOPIC = 'recent metrics';

const number = { type: 'number' };
const count = { type: 'integer' };

/** The metrics of the last hour, with the right to the metrics. */
export const RECENT_METRICS: PlatformEndpoint<MetricsNeeds> = {
  method: 'GET',
  path: `${METRICS.path}/recent`,
  right: { path: METRICS.path },
  operation: {
    operationId: 'GetRecentMetrics',
    summary: `Metrics of the last hour, one sample in ${INTERVAL_SECONDS} seconds, and one of now`,
    description: 'Kept in memory, from the start of the service on.',
    parameters: [
      queryParameter('since', 'Only samples after an RFC 3339 time, or an age such as `15m`. Default: all.'),
    ],
    answer: objectAnswer('The samples, oldest first.', 'RecentMetrics'),
    errors: ['BadRequest', ...EVERYWHERE],
    schemas: {
      RecentMetrics: objectSchema({
        intervalSeconds: count,
        latencyBounds: {
          type: 'array',
          items: number,
          description:
            'Seconds; for each of them, `answersWithin` has the number of answers that took no longer.',
        },
        samples: { type: 'array', items: { $ref: '#/components/schemas/MetricsSample' } },
      }),
      MetricsSample: objectSchema(
        {
          time: { ...text, format: 'date-time' },
          requests: count,
          answers: { ...count, description: 'Without those of watches.' },
          answerSeconds: { ...number, description: 'Duration of these answers together.' },
          answersWithin: { type: 'array', items: count },
          revision: { ...count, description: 'Of the last change of the store.' },
          watchers: count,
          memoryBytes: count,
          heapBytes: count,
          logBytes: count,
          'storeBytes?': count,
        },
        {
          description: 'Requests, answers and their durations are counted from the start of the service on.',
        },
      ),
    },
  },
  warn: addWarnings,
  handler: recentHandler,
};

function recentHandler(needs: MetricsNeeds): PlatformHandler {
  const recent = new RecentMetrics(needs);
  const { peers } = needs;
  peers?.onAsked(TOPIC, async (question) => JSON.stringify(await recent.between(...readQuestion(question))));
  return async (req, res) => {
    const nowMs = Date.now();
    const sinceMs = readSince(readQuery(req), nowMs);
    const question = JSON.stringify({ sinceMs, nowMs });
    const [own, answers] = await Promise.all([
      recent.between(sinceMs, nowMs),
      peers?.ask(TOPIC, question) ?? [],
    ]);
    const others = answers.map((answer) => JSON.parse(answer) as readonly MetricsSample[]);
    const samples = addSamples([own, ...others]);
    await sendLarge(req, res, { intervalSeconds: INTERVAL_SECONDS, latencyBounds: SECONDS, samples });
  };
}

/** @throws ServiceError `BadRequest` */
function readSince(query: Query, nowMs: number): number {
  const given = single(query, 'since');
  if (given === undefined) return 0;
  const ms = parseSince(given, nowMs);
  if (ms !== undefined) return ms;
  throw badRequest(
    `since: "${formatExcerpt(given)}" is neither a time like 2026-01-31T08:00:00Z nor an age like 15m`,
  );
}

function readQuestion(question: string): [sinceMs: number, nowMs: number] {
  const asked: unknown = JSON.parse(question);
  const { sinceMs, nowMs } = isRecord(asked) ? asked : {};
  return [Number(sinceMs), Number(nowMs)];
}
