import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRemote } from '../../../src/client/http-verbs.js';
import type { Verbs } from '../../../src/service/verbs.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSON_REF, PERSONS, person } from '../../helpers/http.js';
import { seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { openStream, type StreamEvent } from '../../helpers/watching.js';

const PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const CHURN = new URL('../../helpers/churn.mjs', import.meta.url).pathname;
const TOGETHER = 3;
/** Long enough for a bookmark, which comes every ten seconds; on a slow machine it is written for longer. */
const WRITING_MS = 12_000;
/** Writes are spaced, so that resuming from each of their revisions takes seconds, not hours. */
const PAUSE_MS = 40;
const RESUMED_MAX = 150;
/** One batch in so many makes persons of this age, which alone the second watch selects. */
const SELECTED_EVERY = 20;
const SELECTED_AGE = 7;
const seed = seedOfRun();

let daemon: DaemonProcess;
let remote: Verbs;
/** All events of a watch of all persons while two processes wrote. */
let reported: readonly StreamEvent[];
/** Events of a watch that selects few of them, so that it needs bookmarks. */
let selected: readonly StreamEvent[];

beforeAll(async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  daemon = await startDaemonProcess({ dataDir, plugins: [PLUGIN] });
  remote = openRemote(daemon.url);
  const start = (await remote.list(PERSON_REF)).metadata.resourceVersion;
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${start}`;
  const stream = await openStream(`${daemon.url}${PERSONS}?${query}`);
  const few = await openStream(`${daemon.url}${PERSONS}?${query}&fieldSelector=spec.age=${SELECTED_AGE}`);
  const churn: ChildProcess = spawn(process.execPath, [
    CHURN,
    dataDir,
    PLUGIN,
    String(seed),
    String(TOGETHER),
  ]);
  const ended = once(churn, 'close');
  const until = Date.now() + WRITING_MS;
  const isEnough = (): boolean =>
    few.text.includes('"BOOKMARK"') &&
    ['churn-', 'http-'].every((writer) => stream.text.split(`"name":"${writer}`).length > RESUMED_MAX + 1);
  for (let i = 0; Date.now() < until || !isEnough(); i++) {
    const spec = i % SELECTED_EVERY === 0 ? { age: SELECTED_AGE } : {};
    const items = Array.from({ length: TOGETHER }, (_, n) => ({
      verb: 'create' as const,
      resource: PERSON_REF,
      object: person(`http-${i}-${n}`, spec),
    }));
    await remote.batch(items);
    await sleep(PAUSE_MS);
  }
  churn.kill('SIGTERM');
  await ended;
  await remote.create(PERSON_REF, person('last', { age: SELECTED_AGE }));
  for (const one of [stream, few]) while (!one.text.includes('"name":"last"')) await sleep(100);
  reported = stream.events();
  selected = few.events();
  stream.destroy();
  few.destroy();
}, 600_000);

afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

const revisionOf = ({ object }: StreamEvent): number => Number(object.metadata.resourceVersion);
const isChange = ({ type }: StreamEvent): boolean => type !== 'BOOKMARK';
const textOf = (event: StreamEvent): string =>
  `${revisionOf(event)} ${event.type} ${event.object.metadata.name ?? ''}`;

it(`a watch receives two processes' commits in order, each change once (SEED=${seed})`, () => {
  const changes = reported.filter(isChange);
  const texts = changes.map(textOf);
  expect(new Set(texts).size).toBe(texts.length);
  const revisions = changes.map(revisionOf);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  for (const writer of ['churn-', 'http-']) {
    expect(texts.filter((text) => text.includes(writer)).length).toBeGreaterThan(RESUMED_MAX);
  }
});

it('a watch receives all of a commit, with nothing of another between, under consecutive revisions', () => {
  const changes = reported.filter(isChange);
  const isFirst = (event: StreamEvent): boolean => /^http-\d+-0$/.test(event.object.metadata.name ?? '');
  const commits = changes.flatMap((event, at) => (isFirst(event) ? [changes.slice(at, at + TOGETHER)] : []));
  expect(commits.length).toBeGreaterThan(0);
  for (const commit of commits) {
    const [first] = commit;
    const [name = '', revision] = first === undefined ? [] : [first.object.metadata.name, revisionOf(first)];
    const expected = Array.from({ length: TOGETHER }, (_, n) => [
      name.replace(/0$/, String(n)),
      Number(revision) + n,
    ]);
    expect(commit.map((event) => [event.object.metadata.name, revisionOf(event)])).toEqual(expected);
  }
});

it('bookmarks are never ahead of later events, nor behind earlier ones', () => {
  expect(selected.some((event) => !isChange(event))).toBe(true);
  expect(selected.filter(isChange).length).toBeGreaterThan(1);
  for (const [i, event] of selected.entries()) {
    if (isChange(event)) continue;
    expect(selected.slice(0, i).every((before) => revisionOf(before) <= revisionOf(event))).toBe(true);
    expect(selected.slice(i + 1).every((after) => revisionOf(after) > revisionOf(event))).toBe(true);
  }
});

it('a watch can be resumed from any revision and receives exactly the rest', async () => {
  const changes = reported.filter(isChange);
  const revisions = [...new Set(changes.map(revisionOf))];
  const step = Math.max(1, Math.floor(revisions.length / RESUMED_MAX));
  for (const after of revisions.slice(0, -1).filter((_, i) => i % step === 0)) {
    const rest: string[] = [];
    for await (const event of remote.watch(PERSON_REF, { resourceVersion: String(after) })) {
      if (event.type === 'BOOKMARK') continue;
      rest.push(textOf(event));
      if (event.object.metadata.name === 'last') break;
    }
    expect(rest).toEqual(changes.filter((event) => revisionOf(event) > after).map(textOf));
  }
});
