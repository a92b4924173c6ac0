import { SECONDS } from '../../lib/histogram.js';
import { isRecord } from '../../lib/json/json.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { objectAnswer, queryParameter } from '../../openapi/platform.js';
import { objectSchema, text } from '../../openapi/schema-parts.js';
import { addWarnings, sendLarge } from '../answer/respond.js';
import { readQuery, type PlatformEndpoint, type PlatformHandler } from '../platform/endpoint.js';
import { METRICS } from './metrics-endpoint.js';
import { addSamples, MODELS_MAX, type MetricsSample } from './metrics-sample.js';
import { readTime } from './read-time.js';
import { INTERVAL_SECONDS, RecentMetrics } from './recent-metrics.js';
import type { Platform } from '../platform/platform.js';

const TOPIC = 'recent metrics';

const number = { type: 'number' };
const count = { type: 'integer' };

/** The metrics of the last hour, with the right to the metrics. */
export const RECENT_METRICS: PlatformEndpoint = {
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
          answersByModel: {
            type: 'object',
            additionalProperties: count,
            description: `Of \`answers\`, those about each model, by \`plural.group\`; at most ${MODELS_MAX} models in each process.`,
          },
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

function recentHandler(platform: Platform): PlatformHandler {
  const recent = new RecentMetrics(platform);
  const { peers } = platform;
  peers?.onAsked(TOPIC, async (question) => JSON.stringify(await recent.between(...readQuestion(question))));
  return async (req, res) => {
    const nowMs = Date.now();
    const sinceMs = readTime(readQuery(req), 'since', nowMs) ?? 0;
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

function readQuestion(question: string): [sinceMs: number, nowMs: number] {
  const asked: unknown = JSON.parse(question);
  const { sinceMs, nowMs } = isRecord(asked) ? asked : {};
  return [Number(sinceMs), Number(nowMs)];
}
