import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import type { Daemon } from '../../../daemon/app.js';
import type { Config } from '../../../config.js';
import type { TlsFiles } from '../../../http/server.js';
import { withFields } from '../../../lib/log/logger.js';
import { isLoopback } from '../../../lib/process/loopback.js';
import { EXIT, UsageError } from '../../exit.js';
import { getMessage } from '../../../errors.js';
import type { CliIo } from '../../io.js';
import { openAccessLog, openDaemonLog } from '../../logging.js';
import { loadConfig, type GlobalFlags } from '../../session.js';
import { listeningLine } from '../../serve/workers/messages.js';
import { startWatchdog } from '../../serve/watchdog.js';
import { joinWorkers } from '../../serve/workers/worker.js';
import { collect, examples, type CommandContext } from '../shared.js';

export function define(command: Command, context: CommandContext): void {
  command
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'port to listen on; 0 picks a free one (default: 8090)')
    .option('--workers <number>', 'processes that serve; auto is one for each processor (default: 1)')
    .option('--max-body <size>', 'largest request body (default: 1MiB)')
    .option(
      '--max-read-entries <number>',
      'index entries that one request may read; beyond that it gets 413 (default: 5000000)',
    )
    .option('--cache-bytes <size>', 'memory of all caches together (default: 256MiB)')
    .option('--body-timeout <duration>', 'how long the body of a request may take (default: 30s)')
    .option('--max-connections <number>', 'connections at one time; more are closed (default: 10000)')
    .option('--max-object <size>', 'largest object that is stored, as JSON (default: twice --max-body)')
    .option('--store-timeout <duration>', 'how long requests wait for a shared store (default: 30s)')
    .option(
      '--durability <mode>',
      'safe, or relaxed: answers may come before bytes are on disk (default: safe)',
    )
    .option(
      '--disk-reserve <size>',
      'refuse writes while less is free on the disk (default: 256MiB, or a twentieth of a small disk)',
    )
    .option(
      '--lease-duration <duration>',
      'a daemon that leads and gives no sign for so long no longer leads; within 5s where it can be seen (default: 10s)',
    )
    .option('--console <switch>', 'on, or off: serve no page at /console/ (default: on)')
    .option('--auth <mode>', 'none, or token: who sends a request must have a token (default: none)')
    .option('--tls-cert <file>', 'certificate in PEM: speak TLS only')
    .option('--tls-key <file>', 'the key of the certificate, in PEM')
    .option(
      '--cors-origin <origin>',
      'whose pages may use the service in a browser; * is all (repeatable)',
      collect,
    )
    .option('--insecure', 'allow listening beyond this machine without authentication')
    .option('--strict', 'stop when a plugin fails to start')
    .option('--migrate <when>', 'auto, or never: a plugin with outstanding migrations fails (default: auto)')
    .option(
      '--unfit <policy>',
      'warn, or refuse: a plugin fails when stored objects do not fit its models (default: warn)',
    )
    .option('--watch', 'load plugins anew when their files change')
    .option('--platform-plugins <name>', "plugin that may use the platform's groups (repeatable)", collect)
    .option('--log-retention-count <number>', 'changes that the log keeps at least (default: 100000)')
    .option('--log-retention-age <duration>', 'how long the log keeps a change at least (default: 24h)')
    .option(
      '--log-retention-bytes <size>',
      'what the log takes at most, whatever else it would keep (default: 1GiB)',
    )
    .option('--log-level <level>', 'debug, info, warn, error or silent (default: info)')
    .option('--access-log', 'log each request with its user, as a JSON line')
    .option('--slow-list <duration>', 'log lists that take as long, with their explanation (default: off)')
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await serve(self.optsWithGlobals<GlobalFlags>(), context.io);
    });
  examples(command, [
    'xsvc serve',
    'xsvc serve --port 0 --data-dir /var/lib/xsvc --plugins /srv/plugins --strict',
    'xsvc serve --config xsvc.yaml --log-level debug',
    'xsvc serve --workers auto',
    'xsvc serve --auth token --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  ]);
}

async function serve(flags: GlobalFlags, io: CliIo): Promise<number> {
  const asked = io.stopSignal();
  if (flags.server !== undefined)
    throw new UsageError('serve is the server; --server is for commands that talk to one');
  const { checkListening } = await import('../../../config.js');
  const given = await loadConfig(flags, io, checkListening);
  const all = flags.verbose === true ? { ...given, logLevel: 'debug' as const } : given;
  const worker = joinWorkers(io.env);
  const config = worker?.shareLimits(all) ?? all;
  const log = await openDaemonLog(io, config.logLevel);
  const logger = worker === undefined ? log : withFields(log, worker.tags);
  // A missing `catch` in one plugin must not stop the others; a commit is complete or absent in any case.
  io.onStrayError((error) => logger.error('Something was thrown where nobody waits for it', told(error)));
  io.onConsole((level, text) => logger[level](text));
  const tls = await findTls(config);
  if (config.auth === 'token' && tls === undefined && !isLoopback(config.host))
    logger.warn('tokens travel unencrypted beyond this machine; give --tls-cert and --tls-key');
  if (config.auth === 'none' && config.corsOrigins.includes('*'))
    logger.warn(
      'every web page that is open on this machine may read and write; name origins for --cors-origin',
    );
  const count = config.workers === 'auto' ? availableParallelism() : config.workers;
  if (worker === undefined && count > 1) {
    const { runWorkers } = await import('../../serve/workers/primary.js');
    return asked.aborted ? EXIT.done : runWorkers(count, logger, { io, stop: asked });
  }
  startWatchdog(io, worker?.tags);
  const { startDaemon } = await import('../../../daemon/app.js');
  const stop = worker === undefined ? asked : AbortSignal.any([asked, worker.stopSignal]);
  if (stop.aborted) return EXIT.done;
  const broken = new AbortController();
  const daemon = await startDaemon(config, logger, {
    tls,
    peers: worker?.peers,
    listens: worker?.listens,
    accessLog: config.accessLog ? await openAccessLog(io, worker?.tags) : undefined,
    onBroken: (error) => {
      logger.error(error.message);
      broken.abort();
    },
    onFirstToken: (user, token) => io.stdout.write(`token of user "${user}", shown only now: ${token}\n`),
  }).catch((error: unknown) => {
    // The first process is gone; without it a worker cannot listen.
    if (worker?.stopSignal.aborted !== true) throw error;
    logger.warn(`ended while it was starting: ${getMessage(error)}`);
    return undefined;
  });
  if (daemon === undefined) return EXIT.done;
  if (config.strict && daemon.failures.length > 0) return refuse(daemon, io);
  const ended = AbortSignal.any([stop, broken.signal]);
  // When it was asked to stop during the start, no one waits for the line.
  if (!ended.aborted) {
    // Several workers share one page.
    if (config.console === 'on' && (worker?.tags.worker ?? 1) === 1) {
      const { CONSOLE_PATH } = await import('../../../http/guards/pages.js');
      logger.info(`the console is at ${daemon.url}${CONSOLE_PATH}`);
    }
    if (worker === undefined) io.stdout.write(listeningLine(daemon.url));
    else worker.ready(daemon.url);
    await aborted(ended);
  }
  logger.info('stopping');
  await daemon.close();
  return broken.signal.aborted ? EXIT.unavailable : EXIT.done;
}

/** @throws UsageError for files that are not a certificate and its key */
async function findTls(config: Config): Promise<TlsFiles | undefined> {
  const { readTls } = await import('../../../daemon/tls.js');
  const { ConfigError } = await import('../../../config.js');
  try {
    return await readTls(config);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

function told(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) };
}

async function refuse(daemon: Daemon, io: CliIo): Promise<number> {
  for (const failure of daemon.failures) io.stderr.write(`error: ${failure}\n`);
  io.stderr.write('stopping, for --strict was given and not every plugin started with all of its models\n');
  await daemon.close();
  return EXIT.failed;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
