import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { putFiles, runCli } from '../../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { REFERENCE_NAMES } from '../../property/reference-fields.js';
import { checkRound, followModels, type Followed } from '../../property/relations-check.js';
import {
  API_VERSION,
  putModels,
  randomModels,
  randomSpec,
  type RelatedModel,
} from '../../property/relations-models.js';
import {
  cliDoor,
  httpDoor,
  randomWrite,
  type Door,
  type Outcome,
  type Write,
} from '../../property/relations-writes.js';

const seed = seedOfRun();
const ROUNDS = 30;

afterEach(killDaemons);
afterAll(removeDirectories);

/** Possible results in answers, in the words of HTTP and of the command line. */
const TOLD = {
  'an old fault is left': /an error from before this write/,
  'a rule is broken': /self\./,
  'a target is not there': /" not found/,
  'a target is kept': /cannot be deleted/,
  'the version is another': /was changed: metadata\.version/,
  'the revision is another': /PreconditionFailed/,
};

describe(`random writes by all ways through two daemons (SEED=${seed})`, () => {
  const outcomes: Outcome[] = [];

  it.each([0, 1, 2, 3])(
    'leave no name without a target and no violation of their own (models %i)',
    async (run) => {
      const random = new Random(seed + run);
      const world = await openWorld(random);
      const { followed, doors, daemons } = world;
      for (let round = 0; round < ROUNDS; round++) {
        // All writes are chosen before the first one is sent, so that a seed replays them.
        const requests = doors.map((door) => randomRequests(random, door, world));
        const done = await Promise.all(doors.map((door, i) => sendAll(door, requests[i] ?? [])));
        outcomes.push(...done.flat());
        await checkRound(followed, `SEED=${seed}, models ${run}, round ${round}`);
      }
      for (const daemon of daemons) expect(await daemon.stop()).toEqual({ code: 0, signal: null });
      const sound = await runCli(['check', ...world.store], { cwd: world.cwd });
      expect(sound, `${sound.out}${sound.err}`).toMatchObject({ code: 0 });
    },
  );

  it('meet every possible result', () => {
    const written = outcomes.filter(({ isWritten }) => isWritten).length;
    const reported = Object.entries(TOLD).map(
      ([what, words]) => [what, outcomes.filter(({ text }) => words.test(text)).length] as const,
    );
    console.log(
      `${written} of ${outcomes.length} requests wrote; ${JSON.stringify(Object.fromEntries(reported))}`,
    );
    expect(written).toBeGreaterThan(outcomes.length / 10);
    expect(reported.filter(([, count]) => count === 0)).toEqual([]);
  });
});

interface World {
  readonly cwd: string;
  readonly models: readonly RelatedModel[];
  readonly daemons: readonly DaemonProcess[];
  /** Flags with which the command line works on the store. */
  readonly store: readonly string[];
  readonly doors: readonly Door[];
  readonly followed: Followed;
}

/** Two daemons on a store with objects that were stored before there were references and rules. */
async function openWorld(random: Random): Promise<World> {
  const cwd = temporaryDirectory();
  const models = randomModels(random);
  const dataDir = path.join(cwd, 'data');
  await putOldObjects(random, models, cwd);
  const plugins = await putModels(cwd, models, true);
  const start = (): Promise<DaemonProcess> => startDaemonProcess({ dataDir, plugins: [plugins] });
  const [one, two] = [await start(), await start()];
  for (const daemon of [one, two])
    await expect.poll(async () => (await daemon.get('/readyz')).status).toBe(200);
  const store = ['--data-dir', dataDir, '--plugins', plugins];
  const doors = [
    ...[one, two, one, two, one, two].map(httpDoor),
    ...[one, two].map(({ url }) => cliDoor(['--server', url], cwd)),
    ...[cliDoor(store, cwd), cliDoor(store, cwd)],
  ];
  const followed = await followModels(models, one, two);
  return { cwd, models, daemons: [one, two], store, doors, followed };
}

/** Objects that break rules, and have names without a target. */
async function putOldObjects(random: Random, models: readonly RelatedModel[], cwd: string): Promise<void> {
  const plugins = await putModels(cwd, models, false);
  const lines = models.flatMap((model) =>
    REFERENCE_NAMES.slice(0, 4).map((name) =>
      JSON.stringify({
        apiVersion: API_VERSION,
        kind: model.kind,
        metadata: { name },
        spec: randomSpec(random, model),
      }),
    ),
  );
  await putFiles(cwd, { 'old.ndjson': lines.join('\n') });
  const flags = ['--data-dir', path.join(cwd, 'data'), '--plugins', plugins];
  const imported = await runCli(['import', '-f', 'old.ndjson', ...flags], { cwd });
  expect(imported, imported.err).toMatchObject({ code: 0 });
}

async function sendAll(door: Door, requests: readonly (readonly Write[])[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const writes of requests) outcomes.push(await door.send(writes));
  return outcomes;
}

function randomRequests(random: Random, door: Door, world: World): readonly (readonly Write[])[] {
  return Array.from({ length: door.requests }, () => randomRequest(random, door, world));
}

/** The command line patches and deletes one object, and states any number. */
function randomRequest(random: Random, { isMixed }: Door, { models, followed }: World): readonly Write[] {
  const writes = random.many(1, random.chance(0.3) ? 6 : 1, () =>
    randomWrite(random, random.pick(models), followed.objects),
  );
  const [first, ...more] = writes;
  if (first === undefined || isMixed) return writes;
  return 'object' in first ? [first, ...more.filter((write) => 'object' in write)] : [first];
}
