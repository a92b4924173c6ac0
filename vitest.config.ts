import { existsSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Of all suites. */
const source = (file: string): string => new URL(`./src/${file}`, import.meta.url).pathname;
export const resolve = {
  alias: {
    'xsvc/client': source('client/programs/index.ts'),
    'xsvc/testing': source('testing/index.ts'),
    xsvc: source('index.ts'),
  },
};
export const common = {
  pool: 'forks' as const,
  // As Node loads them.
  server: { deps: { external: [/\/dist\/(?!console\/)/] } },
  // Many tests start processes and wait for commits: a slow disk and few processors make that long.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // However busy the machine is: who waits for something goes on as soon as it is there.
  expect: { poll: { timeout: 60_000 } },
};
export const BUILD = 'test/helpers/build.ts';

const directory = (name: string): string => new URL(`./${name}/`, import.meta.url).pathname;
const [SOURCE, COMPILED] = [directory('src'), directory('dist')];

/** Loads modules of the source as they were compiled, which takes a third of the time; for tests of the compiled program. */
export const compiled: Plugin = {
  name: 'compiled-source',
  enforce: 'pre',
  async resolveId(id, importer) {
    const found = await this.resolve(id, importer, { skipSelf: true });
    if (found?.id.startsWith(SOURCE) !== true || !found.id.endsWith('.ts')) return found;
    const file = `${COMPILED}${found.id.slice(SOURCE.length).replace(/ts$/, 'js')}`;
    return existsSync(file) ? file : found;
  },
};

/**
 * Begins with files of many seconds, because one that begins last would run on when all others are done. Files that share
 * a process come last, one after another: Vitest ends such a process when a file of another project comes next, and the
 * source must be loaded again.
 */
export function inOrder(longest: RegExp): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const place = ({ moduleId, project }: TestSpecification): number =>
        project.config.isolate ? (longest.test(moduleId) ? 0 : 1) : 2;
      return (await super.sort(files)).sort((a, b) => place(a) - place(b));
    }
  };
}

/** Tests of rooms that leave nothing behind in their process: they share one, which saves loading the source for each file. */
const SHARING =
  'test/{access,audit,cel,cli,client,console,cluster,controller,endpoint,engines,events,expiry,http,kubernetes,lib,lifecycle,list,mcp,model,openapi,owners,plugin,query,service,store,watch,webhooks}/**/*.test.ts';
/** Most of these take ten seconds and more: they are in the gate. */
export const LONGER = [
  'test/cli/{import-older,model-rollback,namespaces}.test.ts',
  'test/expiry/expiry.test.ts',
  'test/http/{access,batch,watch-tickets}.test.ts',
  'test/kubernetes/admission/*.test.ts',
  'test/kubernetes/{conversion-webhooks,definition-changes,definitions}.test.ts',
  'test/lifecycle/migrate.test.ts',
  'test/list/id-set.test.ts',
  'test/mcp/plans.test.ts',
  'test/owners/namespaces-daemon.test.ts',
  'test/service/{references,versions}.test.ts',
  'test/store/{entry-keys,log,read-ahead}.test.ts',
  'test/webhooks/deliveries.test.ts',
];
/** One replaces a function of Node, one a module; another is about the process itself. */
const OF_A_PROCESS = [
  'test/service/generate-name.test.ts',
  'test/cli/watchdog.test.ts',
  'test/cluster/presence.test.ts',
  // Leaves a thread that waits for a stopped process.
  'test/store/stopped-writer.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: [BUILD],
    sequence: { sequencer: inOrder(/test\/service\//) },
    // More than two processors can do: many tests wait for the disk, or for a time limit.
    maxWorkers: 3,
    projects: [
      {
        resolve,
        test: {
          ...common,
          name: 'sharing',
          isolate: false,
          include: [SHARING],
          exclude: [...OF_A_PROCESS, ...LONGER],
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: 'alone',
          include: ['test/architecture/**/*.test.ts', 'test/*.test.ts', ...OF_A_PROCESS],
        },
      },
    ],
  },
});
