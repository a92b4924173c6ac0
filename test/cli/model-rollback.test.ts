import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
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

/** Neither may come twice over an object, in either direction: it would fail, or be seen. */
const TITLE = `{ id: 'title', description: 'titles',
  up: ({ spec: { subject, ...rest } }) => {
    if (typeof subject !== 'string') throw new Error('no subject');
    return { spec: { title: subject, ...rest } };
  },
  down: ({ spec: { title, ...rest } }) => {
    if (typeof title !== 'string') throw new Error('no title');
    return { spec: { subject: title, ...rest } };
  } }`;
const MARK = `{ id: 'mark',
  up: (t) => ({ ...t, spec: { ...t.spec, title: t.spec.title + '!' } }),
  down: (t) => ({ ...t, spec: { ...t.spec, title: t.spec.title.slice(0, -1) } }) }`;
const BY_SUBJECT = `specs.add(IndexSpecs.single('spec.subject', 'string').indexFunc((t) => t.spec.subject.toLowerCase()));`;
const BY_TITLE = `specs.add(IndexSpecs.single('spec.title', 'string').indexFunc((t) => t.spec.title.toLowerCase()));`;
const ZERO: DeskOptions = { spec: FIRST, indexes: BY_SUBJECT };
const ONE: DeskOptions = { spec: SECOND, indexes: BY_TITLE, options: `{ migrations: [${TITLE}] }` };
const TWO: DeskOptions = { spec: SECOND, indexes: BY_TITLE, options: `{ migrations: [${TITLE}, ${MARK}] }` };
const withDown = (down: string): DeskOptions => ({
  ...TWO,
  options: `{ migrations: [${TITLE}, { id: 'mark', up: (t) => t, ${down} }] }`,
});

async function specs(field: string): Promise<string> {
  return (await done(`get tickets -o jsonpath={.items[*].spec.${field}}`)).out.trim();
}

/** Three tickets that went through two migrations. */
beforeEach(async () => {
  cwd = temporaryDirectory();
  await putDesk(cwd, ZERO);
  await putFiles(cwd, { 'first.ndjson': tickets(3, (i) => ({ subject: `S${i}` }), 'v1') });
  await done('import -f first.ndjson');
  await done('export tickets -f zero.ndjson');
  await putDesk(cwd, ONE);
  await done('model migrate');
  await putDesk(cwd, TWO);
  await done('model migrate');
  expect(await specs('title')).toBe('S0! S1! S2!');
});

describe('xsvc model rollback', () => {
  it('says what it would do, and writes nothing, with --dry-run', async () => {
    const { out } = await done('model rollback Ticket --to none --dry-run');
    expect(out).toBe(
      [
        'tickets.desk.example.com (plugin desk, 3 objects)',
        '  mark: migration to undo',
        '  title: migration to undo (titles)',
        '  3 objects to change, stored in v1 afterwards',
        '3 objects of tickets would change (dry run)\n',
      ].join('\n'),
    );
    expect(await specs('title')).toBe('S0! S1! S2!');
  });

  it('undoes migrations, newest first, so that an older release finds what it knows', async () => {
    const { out } = await done('model rollback Ticket --to title');
    expect(out).toContain('tickets rolled back to title: 3 objects changed\n');
    await putDesk(cwd, ONE);
    expect(await xsvc('model plan')).toMatchObject({ code: 10 });
    await done('model migrate');
    expect(await specs('title')).toBe('S0 S1 S2');
    await done('model rollback tickets --to none');
    await putDesk(cwd, ZERO);
    await done('model migrate');
    expect(await specs('subject')).toBe('S0 S1 S2');
    expect(await done('export tickets -o ndjson')).toMatchObject({ out: read('zero.ndjson') });
    expect((await done('get tickets --field-selector spec.subject=s1 -o name')).out).toBe('tickets/t-1\n');
    await done('patch ticket t-0 -p {"spec":{"subject":"again"}}');
    expect(await done('check --schema')).toMatchObject({ code: 0 });
    await putDesk(cwd, TWO);
    await done('model migrate');
    expect(await specs('title')).toBe('again! S1! S2!');
    expect((await done('get tickets --field-selector spec.title=s1! -o name')).out).toBe('tickets/t-1\n');
  });

  it('is named by reads and writes of the newer release, which goes forward again', async () => {
    await done('model rollback Ticket --to title');
    const text = 'Ticket was rolled back to "title"; start the release that its objects are for now';
    for (const line of ['label ticket t-0 a=b', 'delete ticket t-0']) {
      const refused = await xsvc(line);
      expect(refused).toMatchObject({ code: 6 });
      expect(refused.err).toMatch(/rolled back to "title"|outstanding migration "mark"/);
    }
    expect((await done('model list')).err).toContain(text);
    expect(await done('model rollback Ticket --to title')).toMatchObject({ out: 'nothing to undo\n' });
    await done('model migrate');
    expect(await specs('title')).toBe('S0! S1! S2!');
    await done('check --schema');
  });

  it('leaves objects that can be read as stored, without code, until the older release starts', async () => {
    await done('model rollback Ticket --to none');
    await putFiles(cwd, { 'plugins/desk/index.js': 'throw new Error("not today");' });
    expect(await specs('subject')).toBe('S0 S1 S2');
    expect((await done('get tickets -o name -l !a --sort metadata.name,desc --limit 1')).out).toBe(
      'tickets/t-2\n',
    );
    expect((await done('get ticket t-1')).out).toContain('t-1');
    expect((await done('export tickets -o ndjson')).out).toBe(read('zero.ndjson'));
    await done('check');
    const sorted = await xsvc('get tickets --sort spec.title');
    expect([sorted.code, sorted.err]).toEqual([5, expect.stringContaining('"spec.title" is not indexed')]);
    expect(await xsvc('label ticket t-0 a=b')).toMatchObject({ code: 6 });
  });

  it('leaves objects whose export states the last migration that they have', async () => {
    await done('model rollback Ticket --to title');
    const { out } = await done('export tickets -o ndjson');
    await putDesk(cwd, ONE);
    await done('model migrate');
    expect((await done('export tickets -o ndjson')).out).toBe(out);
  });

  it('refuses, and writes nothing, without a down, or when one fails for an object', async () => {
    const cases: Readonly<Record<string, string>> = {
      '': 'the migration "mark" has no down',
      'down: (t) => { if (t.metadata.name === "t-1") throw new Error("boom"); return t; }':
        't-1: Ticket "t-1" cannot be converted to v1: down() of the migration "mark" failed: boom',
      'down: () => undefined': 'down() of the migration "mark" must return an object, got undefined',
      'down: async (t) => t': 'returned a promise',
      'down: (t) => ({ ...t, metadata: { ...t.metadata, name: "other" } })': 'must not change metadata.name',
      'down: (t) => ({ ...t, metadata: { ...t.metadata, uid: "other" } })': 'must not change metadata.uid',
      'down: (t) => ({ ...t, metadata: { labels: { a: 1 } } })': 'metadata.labels',
    };
    for (const [down, message] of Object.entries(cases)) {
      await putDesk(cwd, withDown(down));
      for (const more of ['', ' --dry-run']) {
        const { code, out } = await xsvc(`model rollback Ticket --to title${more}`);
        expect({ down, code }).toEqual({ down, code: 5 });
        expect(out).toContain(message);
        expect(out).toContain('needs attention: nothing was written');
      }
      expect(await specs('title')).toBe('S0! S1! S2!');
    }
    await putDesk(cwd, ZERO);
    const undeclared = await xsvc('model rollback Ticket --to title');
    expect(undeclared).toMatchObject({ code: 5 });
    expect(undeclared.out).toContain('do not declare the migration "mark"');
    await putDesk(cwd, TWO);
    await done('label ticket t-0 a=b');
  });

  it('ends a down that never returns', async () => {
    await putDesk(cwd, withDown('down: (t) => { while (t.metadata.name === "t-1"); return t; }'));
    const { code, out } = await xsvc('model rollback Ticket --to title');
    expect(code).toBe(5);
    expect(out).toContain('t-1: the code that converts and checks it did not return within 2000 ms');
    await done('label ticket t-0 a=b');
  }, 20_000);

  it('refuses a migration that does not exist, or is not applied', async () => {
    const unknown = await xsvc('model rollback Ticket --to titel');
    expect(unknown).toMatchObject({ code: 3 });
    expect(unknown.err).toContain(
      'Ticket has no migration "titel", did you mean "title"?; applied: "title", "mark"',
    );
    await putDesk(cwd, {
      ...TWO,
      options: `{ migrations: [${TITLE}, ${MARK}, { id: 'new', up: (t) => t }] }`,
    });
    const pending = await xsvc('model rollback Ticket --to new');
    expect(pending).toMatchObject({ code: 4 });
    expect(pending.err).toContain('the migration "new" is not applied to Ticket');
    await done('model rollback Ticket --to mark');
    expect(await xsvc('model rollback Tickit --to mark')).toMatchObject({ code: 3 });
    expect(await xsvc('model rollback Ticket')).toMatchObject({ code: 2 });
    expect(await xsvc('model rollback User --to none')).toMatchObject({ code: 0, out: 'nothing to undo\n' });
  });
});
