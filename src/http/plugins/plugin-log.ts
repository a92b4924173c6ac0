import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import { badRequest, formatExcerpt, notFound, ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { queryParameter } from '../../openapi/platform.js';
import { text } from '../../openapi/schema-parts.js';
import type { PluginLogs } from '../../plugin/log/plugin-logs.js';
import { PLUGINS } from '../../plugin/plugin-model.js';
import { sent } from '../answer/drain.js';
import { addWarnings } from '../answer/respond.js';
import { isTrue, single, type Query } from '../routes/parameters.js';
import { readQuery, type PlatformEndpoint } from '../platform/endpoint.js';
import type { Peers } from '../platform/peers.js';

const TOPIC = 'plugin log';
const TAIL_DEFAULT = 200;
const TAIL_MAX = 100_000;
/** A client that reads nothing for this time is cut off, in milliseconds. */
const STALL_MS = 30_000;
/** Clients that follow a log at the same time, in this process. */
const FOLLOWERS_MAX = 100;
/** The interval at which other processes are asked for new lines, in milliseconds. */
const PEERS_MS = 1_000;

/** The last lines of a plugin's log, as text, like the log of a pod of Kubernetes. */
export const PLUGIN_LOG: PlatformEndpoint = {
  method: 'GET',
  path: `/apis/${PLUGINS.group}/${PLUGINS.version}/${PLUGINS.plural}/:name/log`,
  operation: {
    operationId: 'ReadPluginLog',
    summary: "The last lines of a plugin's log, oldest first",
    parameters: [
      'name',
      queryParameter('tail', 'Number of lines.', {
        schema: { type: 'integer', minimum: 0, maximum: TAIL_MAX, default: TAIL_DEFAULT },
      }),
      queryParameter('follow', 'Continues with each new line.', {
        schema: { type: 'boolean', default: false },
      }),
    ],
    answer: { description: 'The lines.', content: { 'text/plain': { schema: text } } },
    errors: ['BadRequest', 'NotFound', ...EVERYWHERE],
  },
  warn: addWarnings,
  handler({ service, pluginLogs: logs, peers }) {
    if (logs === undefined) return undefined;
    let followers = 0;
    peers?.onAsked(TOPIC, (question) => Promise.resolve(JSON.stringify(answerPeer(logs, question))));
    return async (req, res) => {
      const query = readQuery(req);
      const tail = readTail(query);
      const isFollowing = isTrue(query, 'follow') && req.method !== 'HEAD';
      const { name } = req.params;
      const plugin = typeof name === 'string' ? name : '';
      if (!logs.has(plugin) && (await service.getMany(PLUGINS, [plugin]))[0] === undefined)
        throw notFound(`no plugin is named "${formatExcerpt(plugin)}"`);
      if (isFollowing && followers >= FOLLOWERS_MAX)
        throw new ServiceError('TooManyRequests', `${FOLLOWERS_MAX} clients follow logs already`);
      res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
      res.flushHeaders();
      followers += isFollowing ? 1 : 0;
      try {
        await sendLog(res, new LogReader(logs, plugin, peers), { tail, isFollowing, ended: logs.ended });
      } finally {
        followers -= isFollowing ? 1 : 0;
        res.end();
      }
    };
  },
};

function readTail(query: Query): number {
  const given = single(query, 'tail');
  if (given === undefined) return TAIL_DEFAULT;
  if (/^\d{1,6}$/.test(given) && Number(given) <= TAIL_MAX) return Number(given);
  throw badRequest(`tail: "${formatExcerpt(given)}" is not a number from 0 to ${TAIL_MAX}`);
}

interface Sending {
  readonly tail: number;
  readonly isFollowing: boolean;
  readonly ended: AbortSignal;
}

/** The memory for a slow client is that of the log itself: lines that it did not take in time are counted. */
async function sendLog(
  res: Response,
  reader: LogReader,
  { tail, isFollowing, ended }: Sending,
): Promise<void> {
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  const stop = AbortSignal.any([closed.signal, ended]);
  const isOver = (): boolean => stop.aborted;
  let { lines } = await reader.read();
  lines = tail === 0 ? [] : lines.slice(-tail);
  for (;;) {
    if (lines.length > 0 && !(await sent(res, Buffer.from(`${lines.join('\n')}\n`), STALL_MS))) return;
    if (!isFollowing || isOver()) return;
    await reader.wait(stop);
    if (isOver()) return;
    const more = await reader.read();
    lines = more.lost === 0 ? more.lines : [`… ${more.lost} lines were left out`, ...more.lines];
  }
}

/** The lines of one process after a position. */
interface ProcessLines {
  readonly id: string;
  readonly next: number;
  readonly lines: readonly string[];
}

/** Reads the log of a plugin in this process and all that answer with it, each from its own position. */
class LogReader {
  readonly #positions = new Map<string, number>();

  constructor(
    private readonly logs: PluginLogs,
    private readonly plugin: string,
    private readonly peers: Peers | undefined,
  ) {}

  /** The lines since the last call, in the order of their times. */
  async read(): Promise<{ readonly lines: readonly string[]; readonly lost: number }> {
    const { id } = this.logs;
    const own = this.logs.get(this.plugin).read(this.#positions.get(id) ?? 0);
    const isFirst = !this.#positions.has(id);
    const question = JSON.stringify({ plugin: this.plugin, positions: Object.fromEntries(this.#positions) });
    const answers = (await this.peers?.ask(TOPIC, question)) ?? [];
    const others = answers.map((answer) => JSON.parse(answer) as ProcessLines);
    this.#positions.set(id, own.next);
    for (const { id: other, next } of others) this.#positions.set(other, next);
    const lines = [...own.lines, ...others.flatMap((other) => other.lines)];
    // Each line begins with its time.
    if (others.length > 0) lines.sort((a, b) => (a.slice(0, 24) < b.slice(0, 24) ? -1 : 1));
    return { lines, lost: isFirst ? 0 : own.lost };
  }

  /** Resolves when there may be more. */
  async wait(signal: AbortSignal): Promise<void> {
    const log = this.logs.get(this.plugin);
    const position = this.#positions.get(this.logs.id) ?? 0;
    if (this.peers === undefined) await log.waitFor(position, signal);
    else await sleep(PEERS_MS, undefined, { signal }).catch(() => undefined);
  }
}

function answerPeer(logs: PluginLogs, question: string): ProcessLines {
  const asked: unknown = JSON.parse(question);
  const { plugin, positions } = isRecord(asked) ? asked : {};
  const from = isRecord(positions) ? positions[logs.id] : 0;
  const name = typeof plugin === 'string' ? plugin : '';
  const { lines, next } = logs.has(name)
    ? logs.get(name).read(typeof from === 'number' ? from : 0)
    : { lines: [], next: 0 };
  return { id: logs.id, next, lines };
}
