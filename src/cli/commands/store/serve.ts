import { availableParallelism } from 'node:os';
import type { Daemon } from '../../../daemon/app.js';
import { withFields } from '../../../lib/log/logger.js';
import { callingPlugin } from '../../../plugin/loaded.js';
import { isLoopback } from '../../../lib/process/loopback.js';
import { serveFlags } from '../../../settings.js';
import { stopped } from '../../envtest/stopped.js';
import { EXIT, UsageError } from '../../exit.js';
import { getMessage } from '../../../errors.js';
import type { CliIo } from '../../io.js';
import { openAccessLog, openDaemonLog } from '../../logging.js';
import { loadConfig } from '../../session.js';
import { listeningLine } from '../../serve/workers/messages.js';
import { npmStartEnded } from '../../serve/npm-start.js';
import { StartPhase } from '../../serve/start-phase.js';
import { startWatchdog } from '../../serve/watchdog.js';
import { joinWorkers, type WorkerLink } from '../../serve/workers/worker.js';
import { command } from '../../command.js';
import { text, texts, toggle, type Flags, type GlobalFlags } from '../../flags.js';

/** Commander derives the key of a flag's value from its name. */
const getKey = (flag: string): string =>
  flag.replace(/^--/, '').replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** The groups of the help, by the beginnings of flags. */
const GROUPS: readonly (readonly [heading: string, flags: RegExp])[] = [
  [
    'Address and connections:',
    /^--(host|port|tls|client-ca|insecure|workers|max-conn|cors|plugin-origin|service-url|webhook)/,
  ],
  ['Users and access:', /^--(auth|oidc|first-token)/],
  ['Plugins and models:', /^--(strict|migrate|watch|unfit|platform-plugins|kubernetes)/],
  ['Store:', /^--(store|durability|disk|lease|upgrade|log-retention|max-object)/],
  ['Limits:', /^--(max|body|cache)/],
  ['Console and agents:', /^--(console|mcp)/],
  ['Logs:', /^--(log|access-log|audit|slow)/],
];

const FLAGS: Flags = Object.fromEntries(
  serveFlags().map(({ flag, help, isRepeatable }) => {
    const [name = '', takes] = flag.split(' ');
    const value = takes === undefined ? toggle(help) : (isRepeatable ? texts : text)(takes, help);
    const heading = GROUPS.find(([, flags]) => flags.test(name))?.[0];
    return [getKey(name), { ...value, heading }];
  }),
);

export const define = command({
  flags: FLAGS,
  examples: [
    'xsvc serve',
    'xsvc serve --port 0 --data-dir /var/lib/xsvc --plugins /srv/plugins --strict',
    'xsvc serve --config xsvc.yaml --log-level debug',
    'xsvc serve --workers auto',
    'xsvc serve --auth token --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  ],
  run: serve,
});

async function serve(flags: GlobalFlags, io: CliIo): Promise<number> {
  if (flags.server !== undefined) throw new UsageError('serve is the server itself, so it takes no --server');
  const worker = joinWorkers(io.env);
  const stop = AbortSignal.any([
    io.stopSignal(),
    npmStartEnded(io.env),
    ...(worker === undefined ? [] : [worker.stopSignal]),
  ]);
  const start = new StartPhase(stop, io);
  try {
    return await Promise.race([serveUntil(flags, io, start, worker), start.cutOff]);
  } catch (error) {
    if (!start.isCancelled) throw error;
    // The first process may be gone; without it a worker cannot listen.
    if (error !== stop.reason) start.logger?.warn(`exited during startup: ${getMessage(error)}`);
    return EXIT.done;
  }
}

async function serveUntil(
  flags: GlobalFlags,
  io: CliIo,
  start: StartPhase,
  worker: WorkerLink | undefined,
): Promise<number> {
  const { checkServing } = await import('../../../config.js');
  const baseConfig = await loadConfig(flags, io, checkServing);
  const settings = flags.verbose === true ? { ...baseConfig, logLevel: 'debug' as const } : baseConfig;
  const config = worker?.shareLimits(settings) ?? settings;
  const log = await openDaemonLog(io, config.logLevel);
  const { PluginLogs } = await import('../../../plugin/log/plugin-logs.js');
  const pluginLogs = new PluginLogs({ keepsDebug: config.logLevel === 'debug' });
  const logger = pluginLogs.follow(worker === undefined ? log : withFields(log, worker.tags));
  start.logger = logger;
  // A missing `catch` in one plugin must not stop the others; a commit is complete or absent in any case.
  io.onStrayError((error) => logger.error('Uncaught error', errorFields(error)));
  io.onConsole((level, text) => {
    const plugin = callingPlugin();
    logger[level](text, plugin === undefined ? {} : { plugin });
  });
  const { readTls } = await import('../../../daemon/tls.js');
  const tls = await readTls(config);
  if (config.auth === 'token' && tls === undefined && !isLoopback(config.host))
    logger.warn('tokens are sent unencrypted over the network; use --tls-cert and --tls-key');
  if (config.auth === 'none' && config.corsOrigins.includes('*'))
    logger.warn(
      'every web page open on this machine can read and write; name the allowed origins with --cors-origin',
    );
  const { openAuditLog } = await import('../../serve/audit.js');
  const audit = await openAuditLog(config, io.stderr, logger);
  const count = config.workers === 'auto' ? availableParallelism() : config.workers;
  if (worker === undefined && count > 1) {
    const { runWorkers } = await import('../../serve/workers/primary.js');
    // Each worker opens it.
    audit?.close();
    const reopens = audit?.reopen !== undefined;
    start.end();
    return start.stop.aborted ? EXIT.done : runWorkers(count, logger, { io, stop: start.stop, reopens });
  }
  if (audit?.reopen !== undefined) {
    io.onHangup(audit.reopen);
    worker?.onReopen(audit.reopen);
  }
  const watchdog = startWatchdog(io, start, worker?.tags);
  const [{ startDaemon }] = await Promise.all([import('../../../daemon/app.js'), watchdog]);
  if (start.stop.aborted) return EXIT.done;
  const broken = new AbortController();
  const daemon = await startDaemon(config, logger, {
    tls,
    peers: worker?.peers,
    pluginLogs,
    listens: worker?.listens,
    audit: audit?.log,
    accessLog: config.accessLog ? await openAccessLog(io, worker?.tags) : undefined,
    onBroken: (error) => {
      logger.error(error.message);
      broken.abort();
    },
    onFirstToken: (user, token) => io.stdout.line(`token of user "${user}", shown only now: ${token}`),
    stop: start.stop,
  });
  if (config.strict && daemon.failures.length > 0) return refuse(daemon, io);
  start.end();
  const ended = AbortSignal.any([start.stop, broken.signal]);
  // When it was asked to stop during the start, no one waits for the line.
  if (!ended.aborted) {
    // Several workers share one page.
    if (config.console === 'on' && (worker?.tags.worker ?? 1) === 1) {
      const { CONSOLE_PATH } = await import('../../../http/guards/pages.js');
      logger.info(`the console is at ${daemon.url}${CONSOLE_PATH}`);
    }
    if (worker === undefined) io.stdout.write(listeningLine(daemon.url));
    else worker.ready(daemon);
    await stopped(ended);
  }
  logger.info('stopping');
  await daemon.close();
  audit?.close();
  return broken.signal.aborted ? EXIT.unavailable : EXIT.done;
}

function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) };
}

async function refuse(daemon: Daemon, io: CliIo): Promise<number> {
  for (const failure of daemon.failures) io.stderr.line(`error: ${failure}`);
  io.stderr.line('exiting because of --strict: not every plugin started with all of its models');
  await daemon.close();
  return EXIT.failed;
}
