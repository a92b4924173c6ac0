import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { LAST_MIGRATION } from '../../../src/model/evolve/migration-stamp.js';
import { putFiles, runCli, type CliResult } from '../../helpers/cli.js';
import { killDaemons, startDaemonProcess } from '../../helpers/daemon.js';
import { FIRST, putDesk, SECOND, tickets, type DeskOptions } from '../../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterAll(() => {
  killDaemons();
  removeDirectories();
});

/** Neither migration may come twice over an object: the first would fail, the second would be seen. */
const TITLE = `{ id: 'title', up: ({ spec: { subject, ...rest } }) => {
  if (typeof subject !== 'string') throw new Error('no subject');
  return { spec: { title: subject, ...rest } };
} }`;
const MARK = `{ id: 'mark', up: (t) => ({ ...t, spec: { ...t.spec, title: t.spec.title + '!' } }) }`;
const ONE: DeskOptions = { spec: SECOND, options: `{ migrations: [${TITLE}] }` };
const TWO: DeskOptions = { spec: SECOND, options: `{ migrations: [${TITLE}, ${MARK}] }` };

let cwd = '';
const xsvc = (line: string, stdin?: string): Promise<CliResult> =>
  runCli(line.split(' '), { cwd, ...(stdin !== undefined && { stdin }) });
const done = async (line: string): Promise<CliResult> => {
  const result = await xsvc(line);
  expect(result).toMatchObject({ code: 0 });
  return result;
};

async function titles(where = ''): Promise<string> {
  return (await done(`get tickets -o jsonpath={.items[*].spec.title}${where}`)).out.trim();
}

/** The last migration of each object of a file. */
function lastMigrations(text: string): (string | undefined)[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const { metadata } = JSON.parse(line) as { metadata: { annotations?: Record<string, string> } };
      return metadata.annotations?.[LAST_MIGRATION];
    });
}

const read = (name: string): string => readFileSync(path.join(cwd, name), 'utf8');

/** Files `zero`, `one` and `two`: the same two tickets, exported after so many migrations. The last plugin stays. */
beforeEach(async () => {
  cwd = temporaryDirectory();
  await putDesk(cwd, { spec: FIRST });
  await putFiles(cwd, { 'first.ndjson': tickets(2, (i) => ({ subject: `s${i}` }), 'v1') });
  await done('import -f first.ndjson');
  await done('export tickets -f zero.ndjson');
  await putDesk(cwd, ONE);
  await done('model migrate');
  await done('export tickets -f one.ndjson');
  await putDesk(cwd, TWO);
  await done('model migrate');
  await done('export tickets -f two.ndjson');
});

describe('xsvc export', () => {
  it('says of objects of a model with migrations which one was the last, and of others nothing', async () => {
    expect(['zero', 'one', 'two'].map((name) => lastMigrations(read(`${name}.ndjson`)))).toEqual([
      [undefined, undefined],
      ['title', 'title'],
      ['mark', 'mark'],
    ]);
    const { out } = await done('get tickets -o json');
    expect(out).not.toContain(LAST_MIGRATION);
    await done('plugin uninstall desk --export out --yes');
    expect(read('out/tickets.desk.example.com.v1.yaml').match(/last-migration: mark/g)).toHaveLength(2);
  });

  it('says the last one that was applied, when others are outstanding', async () => {
    await putDesk(cwd, {
      ...TWO,
      options: `{ migrations: [${TITLE}, ${MARK}, { id: 'more', up: (t) => t }] }`,
    });
    const { out } = await done('export tickets -o ndjson');
    expect(lastMigrations(out)).toEqual(['mark', 'mark']);
  });
});

describe('xsvc import', () => {
  it('brings objects up through the migrations that they have not gone through, and says so', async () => {
    const notes = {
      zero: 'note: tickets.desk.example.com: 2 objects went through title, mark\n',
      one: 'note: tickets.desk.example.com: 2 objects went through mark\n',
      two: '',
    };
    for (const [name, note] of Object.entries(notes)) {
      const result = await done(`import -f ${name}.ndjson --data-dir copy-${name}`);
      expect(result).toMatchObject({ out: '2 created\n', err: note });
      expect(await titles(` --data-dir copy-${name}`)).toBe('s0! s1!');
      const again = await done(`import -f ${name}.ndjson --data-dir copy-${name}`);
      expect(again).toMatchObject({ out: '0 created, 2 unchanged\n', err: '' });
      expect(await done(`model migrate --data-dir copy-${name}`)).toMatchObject({ code: 0 });
      expect(await titles(` --data-dir copy-${name}`)).toBe('s0! s1!');
      expect(await xsvc(`check --schema --data-dir copy-${name}`)).toMatchObject({ code: 0 });
    }
    expect((await done('get tickets -o json --data-dir copy-zero')).out).not.toContain(LAST_MIGRATION);
  });

  it('does so over HTTP, and the objects stay so after the next start', async () => {
    const options = { dataDir: path.join(cwd, 'served'), plugins: [path.join(cwd, 'plugins')] };
    const daemon = await startDaemonProcess(options);
    const where = ` --server ${daemon.url}`;
    expect(await done(`import -f zero.ndjson${where}`)).toMatchObject({
      out: '2 created\n',
      err: 'note: tickets.desk.example.com: 2 objects went through title, mark\n',
    });
    expect(await done(`import -f one.ndjson${where}`)).toMatchObject({ out: '0 created, 2 unchanged\n' });
    const { out } = await done(`export tickets -o ndjson${where}`);
    expect(out).toBe(read('two.ndjson'));
    expect(await xsvc(`diff -f one.ndjson${where}`)).toMatchObject({ code: 0, out: '' });
    await daemon.stop();
    const next = await startDaemonProcess(options);
    expect(await titles(` --server ${next.url}`)).toBe('s0! s1!');
    await next.stop();
  });

  it('compares and merges what is there with the shape of now', async () => {
    await done('import -f zero.ndjson --data-dir copy');
    await done('patch ticket t-0 -p {"spec":{"count":7}} --data-dir copy');
    const merged = await done('import -f zero.ndjson --data-dir copy --merge');
    expect(merged).toMatchObject({ out: '0 created, 2 unchanged\n', err: '' });
    const removing = await done('import -f zero.ndjson --data-dir copy --dry-run');
    expect(removing.out).toBe('0 created, 1 configured, 1 unchanged (dry run)\n');
    expect(removing.err).toContain('tickets/t-0: would remove spec.count');
    expect(removing.err).toContain('1 object would go through title, mark');
    const skipped = await done('import -f zero.ndjson --data-dir copy --skip-existing');
    expect(skipped).toMatchObject({ out: '0 created, 2 skipped\n', err: '' });
  });

  it('takes objects as they stand with --as-is, and rows of CSV', async () => {
    await putFiles(cwd, {
      'now.ndjson': tickets(2, (i) => ({ title: `n${i}` }), 'v1'),
      'rows.csv': 'name,title\nrow,from a row\n',
    });
    expect(await done('import -f now.ndjson --as-is --data-dir copy')).toMatchObject({ err: '' });
    expect(await done('import -f one.ndjson --as-is --data-dir other')).toMatchObject({ err: '' });
    expect(await titles(' --data-dir other')).toBe('s0 s1');
    expect((await done('get tickets -o json --data-dir other')).out).not.toContain(LAST_MIGRATION);
    await done('import tickets -f rows.csv --map name=name,spec.title=title --data-dir copy');
    expect(await titles(' --data-dir copy')).toBe('from a row n0 n1');
  });

  it('says what may help when objects that say nothing do not go through', async () => {
    await putFiles(cwd, { 'now.ndjson': tickets(1, () => ({ title: 'now' }), 'v1') });
    for (const store of ['copy', '.xsvc']) {
      const { code, out, err } = await xsvc(`import -f now.ndjson --data-dir ${store}`);
      expect({ code, out }).toEqual({ code: 5, out: '0 created, 1 failed\n' });
      expect(err).toContain('up() of the migration "title" failed: no subject');
      expect(err).toContain('use --as-is to import them unchanged');
    }
  });

  it('refuses objects of a newer release, and none of a model without migrations that say none', async () => {
    await putDesk(cwd, ONE);
    const newer = await xsvc('import -f two.ndjson --data-dir copy');
    expect(newer).toMatchObject({ code: 5, out: '0 created, 2 failed\n' });
    expect(newer.err).toContain('the model has no migration "mark"');
    await putDesk(cwd, { spec: SECOND });
    const without = await xsvc('import -f two.ndjson --data-dir copy');
    expect(without).toMatchObject({ code: 5 });
    const none = tickets(1, () => ({ title: 'now' }), 'v1').replace(
      '"name"',
      `"annotations":{"${LAST_MIGRATION}":"none"},"name"`,
    );
    await putFiles(cwd, { 'none.ndjson': none });
    expect(await done('import -f none.ndjson --data-dir other')).toMatchObject({
      out: '1 created\n',
      err: '',
    });
    expect(await done('import -f none.ndjson --data-dir other')).toMatchObject({
      out: '0 created, 1 unchanged\n',
    });
  });
});

describe('files that say which migration was the last', () => {
  it('are applied in the shape of now, once', async () => {
    for (const store of ['--data-dir applied', '--data-dir one-by-one --atomic=false']) {
      expect((await done(`apply -f one.ndjson ${store}`)).out).toBe(
        'tickets/t-0 created\ntickets/t-1 created\n',
      );
      expect((await done(`apply -f one.ndjson ${store}`)).out).toBe(
        'tickets/t-0 unchanged\ntickets/t-1 unchanged\n',
      );
    }
    const where = '--data-dir applied';
    expect(await titles(` ${where}`)).toBe('s0! s1!');
    await done(`patch ticket t-0 -p {"spec":{"count":7}} ${where}`);
    await putFiles(cwd, { 'edited.ndjson': read('one.ndjson').replace('s0', 'edited') });
    expect((await done(`apply -f edited.ndjson --dry-run ${where}`)).out).toContain('tickets/t-0 configured');
    expect((await xsvc(`diff -f edited.ndjson ${where}`)).out).toContain('+  title: edited!');
    await done(`apply -f edited.ndjson ${where}`);
    expect(await titles(` ${where}`)).toBe('edited! s1!');
    expect((await done(`get ticket t-0 -o jsonpath={.spec.count} ${where}`)).out.trim()).toBe('7');
    expect(await xsvc(`diff -f edited.ndjson ${where}`)).toMatchObject({ code: 0, out: '' });
    expect((await done(`apply -f two.ndjson ${where}`)).out).toContain('tickets/t-0 configured');
    expect((await done(`get tickets -o json ${where}`)).out).not.toContain('last-migration');
  });

  it('are created and validated in the shape of now', async () => {
    await done('create -f one.ndjson --data-dir created');
    expect(await titles(' --data-dir created')).toBe('s0! s1!');
    expect(await done('validate -f one.ndjson')).toMatchObject({
      out: 'tickets/t-0 valid\ntickets/t-1 valid\n',
    });
    const say = (last: string): string =>
      tickets(1, () => ({ title: 'now' }), 'v1').replace(
        '"name"',
        `"annotations":{"${LAST_MIGRATION}":"${last}"},"name"`,
      );
    await putFiles(cwd, { 'bad.ndjson': say('none'), 'unknown.ndjson': say('other') });
    for (const [file, reason] of [
      ['bad', 'up() of the migration "title" failed: no subject'],
      ['unknown', 'the model has no migration "other"'],
    ]) {
      const offline = await xsvc(`validate -f ${file}.ndjson`);
      expect(offline).toMatchObject({ code: 5 });
      expect(offline.err).toContain(reason);
      for (const store of ['--data-dir applied', '--data-dir .xsvc']) {
        const applied = await xsvc(`apply -f ${file}.ndjson ${store}`);
        expect(applied).toMatchObject({ code: 5 });
        expect(applied.err).toContain(reason);
      }
    }
  });
});
