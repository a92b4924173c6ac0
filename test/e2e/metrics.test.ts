import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { parseExposition, type Family, type Sample } from '../helpers/exposition.js';
import { PERSONS, person } from '../helpers/http.js';
import { temporaryDirectory } from '../helpers/store.js';
import { openStream } from '../helpers/watching.js';

const DASHBOARD = new URL('../../docs/dashboard.json', import.meta.url);
const REQUESTS = 'xsvc_http_request_duration_seconds';

let daemon: DaemonProcess;
let families: ReadonlyMap<string, Family>;

beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: temporaryDirectory() });
  const watch = await openStream(`${daemon.url}${PERSONS}?watch=true`);
  await daemon.send('POST', PERSONS, { body: person('ann') });
  await watch.take(1);
  for (const path of [
    `${PERSONS}/ann`,
    `${PERSONS}/nobody`,
    `${PERSONS}/ann/status`,
    `${PERSONS}?size=2`,
    '/readyz',
  ])
    await daemon.get(path);
  const batch = ['bob', 'cid'].map((name) => ({
    verb: 'create',
    object: { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', ...person(name) },
  }));
  await daemon.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { items: batch } });
  await watch.take(3);
  await daemon.get('/apis/console.api.catalogue.example.com/v1alpha1/packages?keyword=a');
  for (const number of [1, 2, 3]) await daemon.get(`/nothing/here/${number}`);
  await daemon.get('/apis/%E0%A4%A/v1/things');
  watch.destroy();
  families = await metricsWith((all) => find(all, `${REQUESTS}_count`, { verb: 'watch' }).length > 0);
});

afterAll(() => killDaemons());

/** Polls: the service counts some things only after the answer has gone out. */
async function metricsWith(isThere: (all: ReadonlyMap<string, Family>) => boolean): Promise<typeof families> {
  for (let attempt = 0; ; attempt++) {
    const all = parseExposition((await daemon.get('/metrics')).text);
    if (isThere(all) || attempt > 100) return all;
    await sleep(50);
  }
}

function find(
  all: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): readonly Sample[] {
  const samples = [...all.values()].flatMap((family) => family.samples);
  return samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
}

function value(name: string, labels: Readonly<Record<string, string>> = {}): number {
  return find(families, name, labels).reduce((sum, sample) => sum + sample.value, 0);
}

describe('the metrics of a daemon', () => {
  it.each([
    [PERSONS, 'create', '201'],
    [PERSONS, 'list', '200'],
    [PERSONS, 'watch', '200'],
    [`${PERSONS}/{name}`, 'get', '200'],
    [`${PERSONS}/{name}`, 'get', '404'],
    [`${PERSONS}/{name}/status`, 'get', '200'],
    ['/apis/api.platform.run/v1alpha1/batches', 'create', '200'],
    ['/apis/console.api.catalogue.example.com/v1alpha1/packages', 'get', '200'],
    ['/readyz', 'get', '200'],
  ])('count requests for %s, %s, %s', (route, verb, code) => {
    expect(value(`${REQUESTS}_count`, { route, verb, code })).toBe(1);
  });

  it('count everything that is not there under one label, whatever was asked for', () => {
    expect(value(`${REQUESTS}_count`, { route: 'other', code: '404' })).toBe(3);
    expect(value(`${REQUESTS}_count`, { route: 'other', code: '400' })).toBe(1);
    const routes = find(families, `${REQUESTS}_count`).map(({ labels }) => labels.route ?? '');
    expect(routes.filter((route) => /nothing|ann|%/.test(route))).toEqual([]);
  });

  it('show the size and the duration of commits', () => {
    expect(value('xsvc_commit_changes_bucket', { le: '1' })).toBeGreaterThanOrEqual(1);
    const commits = value('xsvc_commit_changes_count');
    expect(value('xsvc_commit_changes_sum')).toBeGreaterThan(commits);
    expect(value('xsvc_commit_duration_seconds_count')).toBe(commits);
    expect(value('xsvc_commit_duration_seconds_sum')).toBeGreaterThan(0);
  });

  it('show when watchers received a change', () => {
    expect(value('xsvc_watch_lag_seconds_count')).toBe(2);
    expect(value('xsvc_watch_lag_seconds_bucket', { le: '30' })).toBe(2);
  });

  it('show the duration of reconciles, by controller', () => {
    const reconciles = find(families, 'xsvc_reconcile_duration_seconds_count', { result: 'success' });
    expect(reconciles.length).toBeGreaterThan(0);
    expect(reconciles.some((one) => one.value > 0 && one.labels.controller !== undefined)).toBe(true);
    expect(find(families, 'xsvc_reconcile_errors_total').map((one) => one.value)).toEqual(
      reconciles.map(() => 0),
    );
  });

  it('show the sizes of caches, store and log', () => {
    expect(value('xsvc_cache_bytes', { cache: 'answers' })).toBeGreaterThan(0);
    expect(value('xsvc_cache_budget_bytes')).toBe(256 * 1024 * 1024);
    expect(value('xsvc_store_bytes')).toBeGreaterThanOrEqual(64 * 1024);
    expect(value('xsvc_store_free_bytes')).toBeLessThan(value('xsvc_store_bytes'));
    expect(value('xsvc_store_free_pages')).toBeGreaterThan(0);
    expect(value('xsvc_log_bytes')).toBeGreaterThan(0);
    expect(value('xsvc_objects', { kind: 'Person' })).toBe(6);
  });

  it('have something for every query of the dashboard', () => {
    const texts = [...readFileSync(DASHBOARD, 'utf8').matchAll(/"expr": "(.*)"/g)].map(
      ([, text = '']) => text,
    );
    expect(texts.length).toBeGreaterThan(20);
    for (const text of texts) {
      const names = text.match(/\b(xsvc|nodejs|process)_\w+/g) ?? [];
      expect(names, text).not.toEqual([]);
      for (const name of names) expect(find(families, name).length, name).toBeGreaterThan(0);
    }
  });
});

describe('the check of the format', () => {
  const head = '# HELP a_seconds A\n# TYPE a_seconds histogram\n';
  it.each([
    ['a sample without a family', 'a 1\n'],
    ['a value that is no number', '# HELP a A\n# TYPE a gauge\na one\n'],
    ['a label that is not closed', '# HELP a A\n# TYPE a gauge\na{b="c} 1\n'],
    ['a series twice', '# HELP a A\n# TYPE a gauge\na{b="c"} 1\na{b="c"} 2\n'],
    ['a gauge that is named like a counter', '# HELP a_total A\n# TYPE a_total gauge\na_total 1\n'],
    ['a family twice', '# HELP a A\n# TYPE a gauge\na 1\n# HELP a A\n# TYPE a gauge\n'],
    ['buckets that go down', `${head}a_seconds_bucket{le="1"} 2\na_seconds_bucket{le="+Inf"} 1\n`],
    ['a count that is not the last bucket', `${head}a_seconds_bucket{le="+Inf"} 1\na_seconds_count 2\n`],
  ])('finds %s', (_what, text) => {
    expect(() => parseExposition(text)).toThrow();
  });
});
