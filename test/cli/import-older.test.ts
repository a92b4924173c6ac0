import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { LAST_MIGRATION } from '../../src/model/evolve/migration-stamp.js';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { FIRST, putDesk, SECOND, tickets, type DeskOptions } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

let cwd = '';
const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });
const done = async (line: string): Promise<CliResult> => {
  const result = await xsvc(line);
  expect(result).toMatchObject({ code: 0 });
  return result;
};
const read = (name: string): string => readFileSync(path.join(cwd, name), 'utf8');

/** No migration may come twice over an object: it would fail, or be seen. */
const TITLE = `{ id: 'title',
  up: ({ spec: { subject, ...rest } }) => {
    if (typeof subject !== 'string') throw new Error('no subject');
    return { spec: { title: subject, ...rest } };
  } }`;
const MARK = `{ id: 'mark', up: (t) => ({ ...t, spec: { ...t.spec, title: t.spec.title + '!' } }) }`;
const LOUD = `{ id: 'loud', up: (t) => ({ ...t, spec: { ...t.spec, heading: t.spec.heading.toUpperCase() } }) }`;
const text = { type: 'string' };
const HEADED = { type: 'object', properties: { heading: text, channel: text, count: { type: 'integer' } } };
const MOVED = `versions: [{ model: OldTicket,
  up: ({ spec: { title, ...rest } }) => ({ spec: { heading: title, ...rest } }),
  down: ({ spec: { heading, ...rest } }) => ({ spec: { title: heading, ...rest } }) }]`;
/** Releases: two migrations, then a new storage version, then a migration in that version. */
const RELEASES: readonly DeskOptions[] = [
  { spec: FIRST, version: 'v1alpha1' },
  { spec: SECOND, version: 'v1alpha1', options: `{ migrations: [${TITLE}] }` },
  { spec: SECOND, version: 'v1alpha1', options: `{ migrations: [${TITLE}, ${MARK}] }` },
  { spec: HEADED, oldSpec: SECOND, options: `{ ${MOVED}, migrations: [${TITLE}, ${MARK}] }` },
  { spec: HEADED, oldSpec: SECOND, options: `{ ${MOVED}, migrations: [${TITLE}, ${MARK}, ${LOUD}] }` },
];

async function headings(where: string): Promise<string> {
  return (await done(`get tickets -o jsonpath={.items[*].spec.heading} ${where}`)).out.trim();
}

/** A file `0.ndjson` of each release: the same two tickets, exported by it. The last release stays. */
beforeEach(async () => {
  cwd = temporaryDirectory();
  for (const [i, release] of RELEASES.entries()) {
    await putDesk(cwd, release);
    if (i === 0) {
      await putFiles(cwd, { 'first.ndjson': tickets(2, (k) => ({ subject: `s${k}`, count: k })) });
      await done('import -f first.ndjson');
    } else await done('model migrate');
    await done(`export tickets -f ${i}.ndjson`);
  }
  await done('export tickets.v1alpha1.desk.example.com -f old.ndjson');
}, 60_000);

describe('xsvc import', () => {
  it('takes exports of each release over migrations and a new storage version', async () => {
    for (const i of RELEASES.keys()) {
      // A new store, and the one that went through all releases.
      for (const where of [`--data-dir copy-${i}`, '']) {
        const from = `import -f ${i}.ndjson ${where}`.trim();
        const { out } = await done(from);
        expect(out).toMatch(where === '' ? /2 unchanged/ : /2 created/);
        expect(await headings(where || '--data-dir .xsvc')).toBe('S0! S1!');
        expect((await done(from)).out).toBe('0 created, 2 unchanged\n');
      }
      expect(await done(`check --schema --data-dir copy-${i}`)).toMatchObject({ code: 0 });
      expect(await done(`diff -f ${RELEASES.length - 1}.ndjson --data-dir copy-${i}`)).toMatchObject({
        code: 0,
      });
    }
  }, 120_000);

  it('says what it did', async () => {
    expect(await done('import -f 0.ndjson --data-dir copy')).toMatchObject({
      err: 'note: tickets.desk.example.com: 2 objects went through title, mark, loud\n',
    });
  });

  it('takes objects of another version that are of now, once', async () => {
    expect(read('old.ndjson')).toContain(`"${LAST_MIGRATION}":"loud"`);
    expect(await done('import -f old.ndjson --data-dir copy')).toMatchObject({ err: '' });
    expect(await headings('--data-dir copy')).toBe('S0! S1!');
    expect((await done('get tickets -o json --data-dir copy')).out).not.toContain(LAST_MIGRATION);
    await putFiles(cwd, { 'now.ndjson': tickets(1, () => ({ title: 'now' })) });
    await done('import -f now.ndjson --as-is --data-dir other');
    expect(await headings('--data-dir other')).toBe('now');
  });

  it('overwrites, merges and validates such objects like others', async () => {
    await done('patch ticket t-1 -p {"spec":{"heading":"changed","channel":"mail"}}');
    const dry = await done('import -f 0.ndjson --dry-run');
    expect(dry.out).toBe('0 created, 1 configured, 1 unchanged (dry run)\n');
    expect(dry.err).toContain('tickets/t-1: would remove spec.channel');
    await done('import -f 0.ndjson --merge');
    expect(await headings('--data-dir .xsvc')).toBe('S0! S1!');
    expect((await done('get ticket t-1 -o jsonpath={.spec.channel}')).out.trim()).toBe('mail');
    expect((await done('validate -f 1.ndjson')).out).toBe('tickets/t-0 valid\ntickets/t-1 valid\n');
    await done('apply -f 1.ndjson');
    expect((await done('apply -f 1.ndjson')).out).toBe('tickets/t-0 unchanged\ntickets/t-1 unchanged\n');
  });

  it('says what a file seems to be older than when no order gives a valid object', async () => {
    await putFiles(cwd, { 'none.ndjson': tickets(1, () => ({ channel: 'fax' })) });
    const { code, err } = await xsvc('import -f none.ndjson --data-dir copy');
    expect(code).toBe(5);
    expect(err).toContain('it looks as if it was exported before the migration "title"');
    expect(err).toContain('run `xsvc model migrate` with each release since');
    expect(err).toContain('spec.title');
  });
});
