import type { Scheme } from '../../../model/declare/scheme.js';
import type { AttachProgress } from '../../../lifecycle/attach.js';
import { getPendingMigrations } from '../../../lifecycle/migrate.js';
import type { ModelLifecycle } from '../../../lifecycle/model-lifecycle.js';
import type { DeclaredModels } from '../../../daemon/offline/declared-models.js';
import { EXIT, type ExitCode } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { getScheme, refuseServed } from '../../model/loaded.js';
import { withModels } from '../../model/open.js';
import { counted } from '../../output/counted.js';
import { Progress } from '../../output/progress.js';
import { command } from '../../command.js';
import type { GlobalFlags } from '../../flags.js';

export const modelMigrate = command({
  description: 'Run outstanding migrations now, and rewrite objects to the storage version',
  args: {
    '[kind]': 'kind, plural, singular or short name of a model; without it, all models of the plugins',
  },
  notes: [
    'All objects are converted, migrated and checked before the first one is written. After an interruption,',
    'run it again: no object is migrated twice. The command fails while a daemon serves the model; the daemon',
    'runs migrations when it starts.',
  ],
  examples: ['xsvc model migrate', 'xsvc model migrate Ticket'],
  run: migrate,
});

async function migrate(flags: GlobalFlags, io: CliIo, [kind]: readonly string[]): Promise<ExitCode> {
  const options = { command: 'model migrate', readOnly: false, logsFailures: kind !== undefined };
  return withModels(flags, io, options, async (models) => {
    const chosen = kind === undefined ? ofPlugins(models) : [getScheme(models, kind, 'migrated')];
    for (const scheme of chosen) await refuseServed(models.lifecycle, scheme, RESTART);
    let isClean = true;
    let isIdle = true;
    for (const scheme of chosen) {
      const lines = await migrateOne(models.lifecycle, scheme, { takeover: flags.takeover === true, io });
      for (const { text, isBad } of lines) {
        (isBad ? io.stderr : io.stdout).line(text);
        isClean &&= !isBad;
        isIdle = false;
      }
    }
    const failures = kind === undefined ? models.failures : [];
    for (const { plugin, message } of failures)
      io.stderr.line(`models of plugin "${plugin}" stay unchanged: ${message}`);
    if (isIdle && failures.length === 0) io.stdout.line('nothing to do');
    return isClean && failures.length === 0 ? EXIT.done : EXIT.failed;
  });
}

/** Another way for the model of a running daemon. */
const RESTART = 'or restart it: it runs migrations when it starts';

/** Models in the store; others have no objects. */
function ofPlugins({ store, schemes, plugins }: DeclaredModels): readonly Scheme[] {
  return schemes.filter(({ owner, resource }) => plugins.includes(owner) && store.findRecord(resource));
}

interface Line {
  readonly text: string;
  readonly isBad: boolean;
}

async function migrateOne(
  lifecycle: ModelLifecycle,
  scheme: Scheme,
  { takeover, io }: { readonly takeover: boolean; readonly io: CliIo },
): Promise<readonly Line[]> {
  const { plural, version } = scheme.resource;
  const { store } = lifecycle;
  const record = store.findRecord(scheme.resource);
  const objects = await store.getCount(scheme.resource);
  const ids =
    record === undefined || objects === 0 ? [] : getPendingMigrations(record, scheme).map(({ id }) => id);
  const work = new Work(io, plural);
  const table = await lifecycle
    .attach(scheme, { migrate: 'run', takeover, progress: (progress) => work.show(progress) })
    .finally(() => work.clear());
  const lines: Line[] = [];
  if (ids.length > 0)
    lines.push({
      text: `${plural} migrated: ${counted(objects, 'object')}, ${ids.join(', ')}`,
      isBad: false,
    });
  if (!table.isMixed || objects === 0) return lines;
  const rewriting = new Progress(io.stderr, `${plural}: rewritten`, objects);
  const {
    objects: done,
    left,
    reason = '',
  } = await lifecycle.rewrite(table, {
    progress: (count) => rewriting.show(count),
  });
  rewriting.clear();
  if (done > 0)
    lines.push({ text: `${plural} rewritten to ${version}: ${counted(done, 'object')}`, isBad: false });
  if (left > 0)
    lines.push({ text: `${plural}: ${counted(left, 'object')} cannot be rewritten: ${reason}`, isBad: true });
  return lines;
}

const VERBS: Readonly<Record<AttachProgress['task'], string>> = {
  check: 'checked',
  migrate: 'migrated',
  index: 'indexed',
};

/** The progress of the work on a model, by task. */
class Work {
  #task: AttachProgress['task'] | undefined;
  #progress: Progress | undefined;

  constructor(
    private readonly io: CliIo,
    private readonly plural: string,
  ) {}

  show({ task, done, total }: AttachProgress): void {
    if (task !== this.#task) {
      this.clear();
      this.#task = task;
      this.#progress = new Progress(this.io.stderr, `${this.plural}: ${VERBS[task]}`, total);
    }
    this.#progress?.show(done);
  }

  clear(): void {
    this.#progress?.clear();
  }
}
