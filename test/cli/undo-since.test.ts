import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import path from 'node:path';
import { runCli, type CliResult } from '../helpers/cli.js';
import { person, PERSON_REF, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let server: TestServer;
/** The start of a case; what came before it stays. */
let since = '';
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  await server.clear();
  await later();
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

/** Waits until the clock has moved on: times have milliseconds. */
async function later(): Promise<void> {
  const begun = Date.now();
  while (Date.now() <= begun + 1) await new Promise(setImmediate);
  since = new Date().toISOString();
}

function undo(...flags: readonly string[]): Promise<CliResult> {
  return runCli(['undo', '--since', since, ...flags], { cwd: '/', env: { XSVC_SERVER: server.url } });
}

const create = (name: string, user: string, spec: object = {}, metadata: object = {}): Promise<unknown> =>
  server.service.create(PERSON_REF, person(name, spec, metadata), { user });
const update = (name: string, user: string, spec: object): Promise<unknown> =>
  server.service.patch(PERSON_REF, name, { spec }, 'merge', { user });
const remove = (name: string, user: string): Promise<unknown> =>
  server.service.delete(PERSON_REF, name, { user });

async function ages(): Promise<Record<string, unknown>> {
  const { items } = await server.service.list(PERSON_REF, { size: 100 });
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [metadata.name, (spec as { age?: number }).age]),
  );
}

describe('undo --since', () => {
  it('takes back what a user created, changed and deleted, in one commit', async () => {
    for (const name of ['kept', 'changed', 'deleted', 'other']) await create(name, 'ann', { age: 1 });
    await later();
    await create('new', 'ci', { age: 9 });
    await update('changed', 'ann', { age: 2 });
    await update('changed', 'ci', { age: 3 });
    await update('changed', 'ci', { age: 4 });
    await remove('deleted', 'ci');
    await update('other', 'ann', { age: 5 });
    const before = await server.service.store.stamp();
    const preview = await undo('--user', 'ci', '--dry-run');
    expect(preview).toEqual({
      code: 0,
      err: '',
      out: 'VERB     OBJECT\ndelete   persons/new\nupdate   persons/changed\ncreate   persons/deleted\nundone: 1 deleted, 1 changed, 1 created again (dry run)\n',
    });
    expect(await server.service.store.stamp()).toEqual(before);
    const done = await undo('--user', 'ci');
    expect([done.code, done.out]).toEqual([0, expect.stringMatching(/created again in revision \d+\n$/)]);
    expect(await ages()).toEqual({ kept: 1, changed: 2, deleted: 1, other: 5 });
    const { items } = await server.service.modelHistory(PERSON_REF, { limit: 3 });
    expect(new Set(items.map(({ time }) => time)).size).toBe(1);
    expect(await undo('--user', 'nobody', '--yes')).toEqual({ code: 0, out: '', err: 'nothing to undo\n' });
  });

  it('needs a yes without a terminal for more than 100 objects', async () => {
    for (let i = 0; i < 101; i++) await create(`p-${i}`, 'ci');
    const { code, err } = await undo('--user', 'ci');
    expect([code, err]).toEqual([2, expect.stringMatching(/101 objects[^]*--yes/)]);
    await remove('p-0', 'ci');
    expect(await undo('--user', 'ci')).toMatchObject({ code: 0 });
    expect(await ages()).toEqual({});
  });

  it('takes back what everybody did, and what the same user changed again', async () => {
    await create('a', 'ann', { age: 1 });
    await later();
    await remove('a', 'ann');
    await create('a', 'bob', { age: 2 });
    await update('a', 'ann', { age: 3 });
    await create('b', 'bob');
    await remove('b', 'bob');
    expect((await undo('--yes')).code).toBe(0);
    expect(await ages()).toEqual({ a: 1 });
  });

  it('is refused with names where others changed the objects after, unless forced', async () => {
    for (const name of ['a', 'b']) await create(name, 'ann', { age: 1 });
    await later();
    for (const name of ['a', 'b']) await update(name, 'ci', { age: 2 });
    await update('b', 'bob', { age: 3 });
    const refused = await undo('--user', 'ci', '--yes');
    expect([refused.code, refused.out]).toEqual([4, '']);
    expect(refused.err).toContain('1 object changed by others after ci');
    expect(refused.err).toContain('persons/b (bob)');
    expect(await ages()).toEqual({ a: 2, b: 3 });
    expect((await undo('--user', 'ci', '--yes', '--force')).code).toBe(0);
    expect(await ages()).toEqual({ a: 1, b: 1 });
  });

  it('does not count what controllers write to the status', async () => {
    await create('a', 'ann', { age: 1 });
    await later();
    await update('a', 'ci', { age: 2 });
    await server.service.update(
      PERSON_REF,
      'a',
      { status: { phase: 'Ready' } },
      { user: 'system:x' },
      'status',
    );
    expect((await undo('--user', 'ci', '--yes')).code).toBe(0);
    expect((await server.service.get(PERSON_REF, 'a')).status).toEqual({ phase: 'Ready' });
    expect(await ages()).toEqual({ a: 1 });
  });

  it('can be narrowed to a resource, to names and to labels, those of deleted objects too', async () => {
    await create('red', 'ann', {}, { labels: { team: 'red' } });
    await create('blue', 'ann', {}, { labels: { team: 'blue' } });
    await create('none', 'ann');
    await later();
    for (const name of ['red', 'blue', 'none']) await remove(name, 'ann');
    expect((await undo('-l', 'team=red', '--yes')).out).toContain('persons/red');
    expect(Object.keys(await ages())).toEqual(['red']);
    const { code, err } = await runCli(['undo', 'persons', 'blue', '--since', since, '--yes'], {
      cwd: '/',
      env: { XSVC_SERVER: server.url },
    });
    expect([code, err]).toEqual([0, '']);
    expect(Object.keys(await ages()).sort()).toEqual(['blue', 'red']);
  });

  it('swaps a unique value back that another object has now', async () => {
    await create('a', 'ann', { email: 'a@example.com' });
    await later();
    await update('a', 'ann', { email: 'b@example.com' });
    await create('b', 'ann', { email: 'a@example.com' });
    expect((await undo('--yes')).code).toBe(0);
    expect((await server.service.get(PERSON_REF, 'a')).spec).toMatchObject({ email: 'a@example.com' });
  });

  it('works for 10,000 objects, and says how to narrow more', async () => {
    const items = Array.from({ length: 10_000 }, (_, i) => ({
      verb: 'create' as const,
      resource: PERSON_REF,
      object: person(`p-${i}`),
    }));
    await server.service.batch(items, { user: 'ci' });
    await create('one-more', 'ann');
    const refused = await undo('--yes');
    expect([refused.code, refused.err]).toEqual([
      5,
      expect.stringMatching(/more than 10000 objects .* narrow it/),
    ]);
    const done = await undo('--user', 'ci', '--yes');
    expect([done.code, done.err, done.out.slice(-60)]).toEqual([
      0,
      '',
      expect.stringContaining('10000 deleted'),
    ]);
    expect(Object.keys(await ages())).toEqual(['one-more']);
  });

  it('says how to narrow what one commit cannot have', async () => {
    const large = await startTestServer({ bodyBytesMax: 2 * 1024 * 1024 });
    const note = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 65; i++)
      await large.service.create(PERSON_REF, person(`p-${i}`, { note }), { fieldValidation: 'Ignore' });
    const env = { XSVC_SERVER: large.url };
    const { code, err } = await runCli(['undo', '--since', '1h', '--yes'], { cwd: '/', env });
    expect([code, err]).toEqual([
      5,
      expect.stringMatching(/nothing was undone: .*more than 64MiB together.*; narrow it/),
    ]);
    await large.close();
  });

  it.each([
    [['--since', 'soon'], 2, /--since soon: it must be a time/],
    [['--since', '2100-01-01T00:00:00Z'], 2, /in the future/],
    [['--to', '3'], 2, /exclude each other/],
    [['--force'], 2, /needs --user/],
    [['-l', ''], 2, /empty/],
    [['-l', 'a='], 0, /nothing to undo/],
    [['-o', 'name'], 2, /leave out -o/],
  ])('with %j exits with %s', async (flags, code, message) => {
    const result = await undo(...flags);
    expect(result.code).toBe(code);
    expect(result.err).toMatch(message);
  });

  it('needs --since for a user, a selector and no resource', async () => {
    const env = { XSVC_SERVER: server.url };
    for (const argv of [
      ['undo'],
      ['undo', 'persons', 'a', '--user', 'x'],
      ['undo', 'persons', 'a', '-l', 'a=b'],
    ])
      expect((await runCli(argv, { cwd: '/', env })).code).toBe(2);
  });

  it('refuses objects that are being deleted', async () => {
    await create('held', 'ann', {}, { finalizers: ['example.com/hold'] });
    await later();
    await remove('held', 'ann');
    const { code, err } = await undo('--yes');
    expect([code, err]).toEqual([4, expect.stringContaining('persons/held')]);
    await server.service.patch(PERSON_REF, 'held', { metadata: { finalizers: null } }, 'merge');
    expect((await undo('--yes')).code).toBe(0);
    expect(Object.keys(await ages())).toEqual(['held']);
  });

  it('says how far the log goes back, when it does not have the whole period', async () => {
    const start = since;
    await create('a', 'ann');
    await create('b', 'ann');
    await server.service.store.history.trim({ count: 1, ageMs: -60_000 });
    since = start;
    const { code, err } = await undo('--yes');
    expect([code, err]).toEqual([1, expect.stringMatching(/the log begins at \d{4}-.* \(revision \d+\)/)]);
  });

  it('works on the store as well', async () => {
    const cwd = temporaryDirectory();
    const plugins = path.join(EXAMPLE_PLUGINS, 'person');
    await runCli(['apply', '-f', path.join(plugins, 'extensions'), '--plugins', plugins], { cwd });
    const names = await runCli(['get', 'persons', '-o', 'name'], { cwd });
    await later();
    await runCli(['delete', 'persons', '--all', '--plugins', plugins], { cwd });
    const done = await runCli(['undo', 'persons', '--since', since, '--yes', '--plugins', plugins], { cwd });
    expect(done).toMatchObject({ code: 0, err: '' });
    const again = await runCli(['get', 'persons', '-o', 'name'], { cwd });
    expect(again.out.split('\n').sort()).toEqual(names.out.split('\n').sort());
    expect(again.out).not.toBe('');
  });
});

describe('history of a resource', () => {
  it('prints who changed which object, newest first', async () => {
    await create('a', 'ann', { age: 1 });
    await update('a', 'bob', { age: 2 });
    await remove('a', 'ann');
    const history = (...flags: readonly string[]): Promise<CliResult> =>
      runCli(['history', 'persons', '--since', since, ...flags], {
        cwd: '/',
        env: { XSVC_SERVER: server.url },
      });
    const table = await history();
    expect(table.out).toMatch(
      /^REVISION +AGE +USER +VERB +NAME +CHANGED\n\d+ +\S+ +ann +delete +a +<none>\n\d+ +\S+ +bob +patch +a +spec\.age\n\d+ +\S+ +ann +create +a +<none>\n$/,
    );
    expect((await history('--user', 'bob', '--no-headers')).out).toMatch(
      /^\d+ +\S+ +bob +patch +a +spec\.age\n$/,
    );
    expect((await history('--limit', '1', '-o', 'ndjson')).out).toMatch(
      /^\{"name":"a".*"verb":"delete".*\}\n$/,
    );
    expect(JSON.parse((await history('-o', 'json')).out)).toMatchObject({
      kind: 'PersonHistoryList',
      items: [{ name: 'a', verb: 'delete' }, { verb: 'patch' }, { verb: 'create' }],
    });
    const ofOne = await runCli(
      ['history', 'persons', 'a', '--user', 'bob', '--since', '1h', '-o', 'ndjson'],
      {
        cwd: '/',
        env: { XSVC_SERVER: server.url },
      },
    );
    expect(ofOne.out).toMatch(/^\{"resourceVersion".*"user":"bob".*\}\n$/);
    expect((await history('--user', 'nobody')).err).toMatch(/no change/);
    expect(
      (await runCli(['history', 'persons', '--since', 'x'], { cwd: '/', env: { XSVC_SERVER: server.url } }))
        .code,
    ).toBe(2);
  });
});
