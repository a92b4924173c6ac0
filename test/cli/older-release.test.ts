import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { putDesk, tickets, type DeskOptions } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

let cwd = '';
const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });
const done = async (line: string): Promise<CliResult> => {
  const result = await xsvc(line);
  expect(result).toMatchObject({ code: 0 });
  return result;
};

const text = { type: 'string' };
const schemaOf = (field: string): object => ({ type: 'object', properties: { [field]: text, note: text } });
/** Objects of each release are valid in the other one, and a second call of it would remove the title. */
const TITLE = `{ id: 'title',
  up: ({ spec: { subject, ...rest } }) => ({ spec: { ...rest, title: subject } }),
  down: ({ spec: { title, ...rest } }) => ({ spec: { ...rest, subject: title } }) }`;
const NOTE = `{ id: 'note', up: (t) => ({ spec: { ...t.spec, note: 'x' } }), down: (t) => t }`;
const OLDER: DeskOptions = { spec: schemaOf('subject') };
const NEWER: DeskOptions = { spec: schemaOf('title'), options: `{ migrations: [${TITLE}] }` };

async function spec(name: string): Promise<unknown> {
  return JSON.parse((await done(`get ticket ${name} -o jsonpath={.spec}`)).out) as unknown;
}

beforeEach(async () => {
  cwd = temporaryDirectory();
  await putDesk(cwd, OLDER);
  await putFiles(cwd, {
    'first.ndjson': tickets(3, (i) => ({ subject: `s${i}` }), 'v1'),
    'new.ndjson': tickets(1, () => ({ subject: 'new' }), 'v1').replace('t-0', 'new'),
  });
  await done('import -f first.ndjson');
  await putDesk(cwd, NEWER);
  await done('model migrate');
});

describe('an older release on a store that a newer one has migrated', () => {
  it('is reported, with the command that undoes the migration', async () => {
    await putDesk(cwd, OLDER);
    const message = 'the migration "title" was applied to Ticket and is not declared';
    const plan = await xsvc('model plan');
    expect(plan).toMatchObject({ code: 5 });
    expect(plan.out).toContain(`problem: ${message}`);
    expect(plan.out).toContain('`xsvc model rollback Ticket --to none`');
    expect((await done('create -f new.ndjson')).err).toContain(message);
  });

  it('writes objects that the newer one migrates, and no other object is changed', async () => {
    await putDesk(cwd, OLDER);
    await done('create -f new.ndjson');
    await done('label ticket t-0 a=b');
    await done('patch ticket t-1 -p {"spec":{"subject":"again"}}');
    await putDesk(cwd, NEWER);
    expect(await xsvc('model plan')).toMatchObject({ code: 10 });
    const early = await xsvc('model rollback Ticket --to none');
    expect(early).toMatchObject({ code: 4 });
    expect(early.err).toContain('run `xsvc model migrate Ticket` first');
    const versions = 'get tickets -o jsonpath={.items[*].metadata.version}';
    expect((await done(versions)).out.trim()).toBe('0 2 2 1');
    await done('model migrate');
    expect((await done(versions)).out.trim()).toBe('1 2 3 1');
    expect(await Promise.all(['new', 't-0', 't-1', 't-2'].map(spec))).toEqual([
      { title: 'new' },
      { title: 's0' },
      { title: 'again' },
      { title: 's2' },
    ]);
    expect(await xsvc('model plan')).toMatchObject({ code: 0 });
    expect((await done('model migrate')).out).toBe('nothing to do\n');
    await done('model rollback Ticket --to none');
    await putDesk(cwd, OLDER);
    expect(await spec('t-1')).toEqual({ subject: 'again' });
    expect((await xsvc('model plan')).out).not.toContain('is not declared');
  });
});

describe('a release without an earlier migration', () => {
  it('is not treated as an older one while it has the last migration', async () => {
    await putDesk(cwd, { ...NEWER, options: `{ migrations: [${TITLE}, ${NOTE}] }` });
    await done('model migrate');
    await putDesk(cwd, { ...NEWER, options: `{ migrations: [${NOTE}] }` });
    expect((await done('model plan')).out).toContain('title: migration no longer declared');
    expect((await done('label ticket t-0 a=b')).err).toBe('');
    await putDesk(cwd, { ...NEWER, options: `{ migrations: [${TITLE}, ${NOTE}] }` });
    await done('model migrate');
    expect(await spec('t-0')).toEqual({ title: 's0', note: 'x' });
  });
});
