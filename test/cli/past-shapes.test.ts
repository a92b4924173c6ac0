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

/** No migration may come twice over an object: it would fail, or be seen. */
const TITLE = `{ id: 'title',
  up: ({ spec: { subject, ...rest } }) => {
    if (typeof subject !== 'string' || subject === 'bad') throw new Error('no subject');
    return { spec: { title: subject, ...rest } };
  },
  down: ({ spec: { title, ...rest } }) => ({ spec: { subject: title, ...rest } }) }`;
const MARK = `{ id: 'mark', up: (t) => ({ ...t, spec: { ...t.spec, title: t.spec.title + '!' } }) }`;
const HEADED = { type: 'object', required: ['heading'], properties: { heading: { type: 'string' } } };
/** Releases: the storage version moves in the last one, after two migrations. */
const ZERO: DeskOptions = { spec: FIRST, version: 'v1alpha1' };
const ONE: DeskOptions = { spec: SECOND, version: 'v1alpha1', options: `{ migrations: [${TITLE}] }` };
const TWO: DeskOptions = { ...ONE, options: `{ migrations: [${TITLE}, ${MARK}] }` };
const MOVED = `versions: [{ model: OldTicket,
  up: ({ spec: { title, ...rest } }) => ({ spec: { heading: title, ...rest } }),
  down: ({ spec: { heading, ...rest } }) => ({ spec: { title: heading, ...rest } }) }]`;
const THREE: DeskOptions = {
  spec: HEADED,
  oldSpec: SECOND,
  options: `{ ${MOVED}, migrations: [${TITLE}, ${MARK}] }`,
};
/** As the last one, with a migration in the new storage version. */
const LOUD = `{ id: 'loud',
  up: (t) => ({ ...t, spec: { ...t.spec, heading: t.spec.heading.toUpperCase() } }),
  down: (t) => ({ ...t, spec: { ...t.spec, heading: t.spec.heading.toLowerCase() } }) }`;
const FOUR: DeskOptions = { ...THREE, options: `{ ${MOVED}, migrations: [${TITLE}, ${MARK}, ${LOUD}] }` };

async function release(desk: DeskOptions): Promise<void> {
  await putDesk(cwd, desk);
  await done('model migrate');
}

async function spec(name = 't-0', more = ''): Promise<unknown> {
  return JSON.parse((await done(`get ticket ${name} -o jsonpath={.spec}${more}`)).out) as unknown;
}

/** The revision of an object now. */
async function revision(name = 't-0'): Promise<string> {
  return (await done(`get ticket ${name} -o jsonpath={.metadata.resourceVersion}`)).out.trim();
}

beforeEach(async () => {
  cwd = temporaryDirectory();
  await putDesk(cwd, ZERO);
  await putFiles(cwd, { 'first.ndjson': tickets(2, (i) => ({ subject: `s${i}` })) });
  await done('import -f first.ndjson');
});

describe('an earlier state of an object', () => {
  it('goes through the migrations since, in their order', async () => {
    const before = await revision();
    await release(ONE);
    const between = await revision();
    await release(TWO);
    for (const [at, title] of [
      [before, 's0!'],
      [between, 's0!'],
    ]) {
      expect(await spec('t-0', ` --at ${at ?? ''}`)).toEqual({ title });
    }
    await done('patch ticket t-0 -p {"spec":{"title":"changed"}}');
    await done(`undo ticket t-0 --to ${before}`);
    expect(await spec()).toEqual({ title: 's0!' });
    expect((await done('history ticket t-0')).out).toContain('spec.subject');
  });

  it('goes through a new storage version too', async () => {
    const before = await revision();
    for (const next of [ONE, TWO, THREE, FOUR]) await release(next);
    expect(await spec()).toEqual({ heading: 'S0!' });
    await done('patch ticket t-0 -p {"spec":{"heading":"changed"}}');
    expect(await spec('t-0', ` --at ${before}`)).toEqual({ heading: 'S0!' });
    const { out } = await done(
      `get tickets.v1alpha1.desk.example.com t-0 --at ${before} -o jsonpath={.spec}`,
    );
    expect(JSON.parse(out)).toEqual({ title: 'S0!' });
    await done(`undo ticket t-0 --to ${before}`);
    expect(await spec()).toEqual({ heading: 'S0!' });
  });

  it('comes again after a deletion before the migrations', async () => {
    await done('delete ticket t-1');
    await release(TWO);
    await done('undo ticket t-1');
    expect(await spec('t-1')).toEqual({ title: 's1!' });
    expect(await done('check --schema')).toMatchObject({ code: 0 });
  });

  it('is that before the last change of an author, whatever migrations did since', async () => {
    await done('patch ticket t-0 -p {"spec":{"subject":"second"}}');
    await release(TWO);
    await done('undo ticket t-0');
    expect(await spec()).toEqual({ title: 's0!' });
  });

  it('is refused when a migration throws for it, or its code is gone', async () => {
    await done('patch ticket t-0 -p {"spec":{"subject":"bad"}}');
    const bad = await revision();
    await done('patch ticket t-0 -p {"spec":{"subject":"good"}}');
    await release(ONE);
    for (const line of [`undo ticket t-0 --to ${bad}`, `get ticket t-0 --at ${bad}`]) {
      const { code, err } = await xsvc(line);
      expect(code).toBe(1);
      expect(err).toContain('Ticket "t-0" cannot be converted');
      expect(err).toContain('up() of the migration "title" failed: no subject');
    }
    await putDesk(cwd, { spec: SECOND, version: 'v1alpha1' });
    const gone = await xsvc(`undo ticket t-0 --to ${bad}`);
    expect(gone).toMatchObject({ code: 4 });
    expect(gone.err).toContain('is older than the migration "title", which the plugin does not declare');
    expect(await spec()).toEqual({ title: 'good' });
  });

  it('is undone where a rollback has undone its migrations', async () => {
    await release(ONE);
    await done('patch ticket t-0 -p {"spec":{"title":"later"}}');
    const later = await revision();
    await done('model rollback Ticket --to none');
    await release({ ...ZERO });
    expect(await spec()).toEqual({ subject: 'later' });
    const refused = await xsvc(`undo ticket t-0 --to ${later}`);
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.err).toContain('is of before the rollback of the migration "title"');
    await release(ONE);
    expect(await spec('t-0', ` --at ${later}`)).toEqual({ title: 'later' });
  });
});

describe('a rollback over a new storage version', () => {
  it('goes back to the version in which objects were stored', async () => {
    for (const next of [ONE, { ...FOUR, options: `{ ${MOVED}, migrations: [${TITLE}, ${LOUD}] }` }])
      await release(next);
    expect(await spec()).toEqual({ heading: 'S0' });
    const { out } = await done('model rollback Ticket --to title');
    expect(out).toContain('2 objects to change, stored in v1alpha1 afterwards');
    await release(ONE);
    expect(await spec()).toEqual({ title: 's0' });
    expect((await done('model list')).out).toMatch(/ v1alpha1=2 +desk +2 +0$/m);
    await done('model rollback Ticket --to none');
    await release(ZERO);
    expect(await spec()).toEqual({ subject: 's0' });
  });
});
