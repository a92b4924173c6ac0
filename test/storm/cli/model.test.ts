import { rmSync, existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../../helpers/cli.js';
import { BEFORE, FIRST, putDesk, RENAMED, SECOND, tickets, type DeskOptions } from '../../helpers/desk.js';
import { openTestStore, removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterAll(removeDirectories);

let cwd = '';
beforeEach(() => {
  cwd = temporaryDirectory();
});

const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });

/** A store of tickets in their first version. */
async function storeOf(
  count: number,
  spec: (i: number) => object = (i) => ({ subject: `s${i}` }),
  desk: DeskOptions = BEFORE,
): Promise<void> {
  await putDesk(cwd, desk);
  await putFiles(cwd, { 'tickets.ndjson': `${tickets(count, spec, desk.version ?? 'v1')}\n` });
  expect(await xsvc('import -f tickets.ndjson')).toMatchObject({ code: 0 });
}

interface Plan {
  readonly result: string;
  readonly failures: readonly { readonly plugin: string; readonly message: string }[];
  readonly models: readonly {
    readonly kind: string;
    readonly objects: number;
    readonly warnings: readonly string[];
    readonly changes: readonly { readonly kind: string; readonly path: string; readonly text: string }[];
    readonly problems: readonly {
      readonly kind: string;
      readonly path: string;
      readonly count: number;
      readonly examples: readonly { readonly name: string; readonly problem: string }[];
    }[];
  }[];
}

async function planned(
  line = 'model plan',
): Promise<{ code: number; plan: Plan; model: Plan['models'][number] }> {
  const { code, out, err } = await xsvc(`${line} -o json`);
  if (out === '') throw new Error(err);
  const plan = JSON.parse(out) as Plan;
  const [model = { kind: '', objects: 0, warnings: [], changes: [], problems: [] }] = plan.models;
  return { code, plan, model };
}

const textOf = ({ path: at, text }: { path: string; text: string }): string => `${at}: ${text}`;

describe('xsvc model list', () => {
  it('tells versions, where objects are stored, and who declares them', async () => {
    await storeOf(3);
    await putDesk(cwd, RENAMED);
    await putFiles(cwd, { 'more.ndjson': `${tickets(5, (i) => ({ title: `t${i}` }), 'v1')}\n` });
    expect(await xsvc('import -f more.ndjson')).toMatchObject({ code: 0 });
    const { code, out } = await xsvc('model list');
    expect(code).toBe(0);
    expect(out).toMatch(/^GROUP +KIND +VERSIONS +STORED +PLUGIN +OBJECTS +UNFIT\n/);
    expect(out).toMatch(/^desk\.example\.com +Ticket +v1,v1alpha1 +v1=5 +desk +5 +0$/m);
    expect(out).toMatch(/^plugin\.platform\.run +Plugin +v1alpha1 +platform +0 +0$/m);
    const { items } = JSON.parse((await xsvc('model list -o json')).out) as { items: { kind: string }[] };
    expect(items.find(({ kind }) => kind === 'Ticket')).toEqual({
      ...{ group: 'desk.example.com', kind: 'Ticket', plural: 'tickets', version: 'v1' },
      ...{
        versions: ['v1', 'v1alpha1'],
        outstanding: [],
        stored: { v1: 5 },
        plugin: 'desk',
        objects: 5,
        unfit: 0,
        migrations: [],
      },
    });
    expect((await xsvc('model list -o name')).out).toContain('tickets.desk.example.com\n');
  });

  it('changes nothing, and has models that no plugin declares', async () => {
    await storeOf(3);
    await putDesk(cwd, RENAMED);
    expect((await xsvc('model list')).out).toMatch(/ v1,v1alpha1 +v1alpha1=3 +desk +3 +0$/m);
    rmSync(path.join(cwd, 'plugins'), { recursive: true });
    expect((await xsvc('model list')).out).toMatch(/ Ticket +v1alpha1 +v1alpha1=3 +3 +0$/m);
  });

  it('works on a store, not on a server', async () => {
    expect(await xsvc('model list --server http://127.0.0.1:9')).toMatchObject({ code: 2 });
    expect(await xsvc('model list')).toMatchObject({ code: 6, out: '' });
    expect(existsSync(path.join(cwd, '.xsvc'))).toBe(false);
  });
});

describe('xsvc model plan', () => {
  it('has nothing to do for models that did not change', async () => {
    await storeOf(3);
    expect(await xsvc('model plan')).toMatchObject({ code: 0, out: 'nothing to do\n' });
  });

  it('reports a renamed, a required and a narrowed field, with the objects that would be invalid', async () => {
    await storeOf(12, (i) => ({ subject: `s${i}`, channel: i < 5 ? 'fax' : 'mail' }), { spec: FIRST });
    await putDesk(cwd, { spec: SECOND });
    const { code, model, plan } = await planned();
    expect([code, plan.result]).toEqual([5, 'refused']);
    expect(model.changes.map(textOf)).toEqual([
      'spec.subject: removed',
      'spec.channel: now accepts only "mail", "phone"',
      'spec.title: added (string), required',
    ]);
    expect(model.problems).toMatchObject([{ kind: 'unfit', count: 12 }]);
    expect(model.problems[0]?.examples).toHaveLength(10);
    expect(model.problems[0]?.examples[0]).toMatchObject({
      name: 't-0',
      problem: expect.stringMatching(/spec\.title.*spec\.channel/) as string,
    });
    const { out } = await xsvc('model plan');
    expect(out).toMatch(
      /\n {2}problem: 12 objects would be invalid\n {4}t-0: .*\n[^]* {4}and 2 more\nneeds attention: /,
    );
  });

  it('tells what a new storage version moves, and writes nothing', async () => {
    await storeOf(3);
    await putDesk(cwd, RENAMED);
    const { code, model } = await planned();
    expect(code).toBe(10);
    expect(model).toMatchObject({ objects: 3, problems: [], warnings: [] });
    expect(model.changes.map(textOf)).toEqual(
      expect.arrayContaining([
        'v1: version added',
        'v1: storage version changes from v1alpha1',
        'v1: objects stored in v1alpha1 are rewritten to v1 in the background',
      ]),
    );
    expect((await xsvc('get tickets -o jsonpath={.items[0].apiVersion}')).out).toBe(
      'desk.example.com/v1alpha1',
    );
    await putDesk(cwd, BEFORE);
    expect(await xsvc('model plan')).toMatchObject({ code: 0 });
  });

  it('counts objects that fail up', async () => {
    await storeOf(12);
    const options = `{ versions: [{ model: OldTicket, down: (now) => now,
      up: (old) => { if (old.metadata.name !== 't-3') throw new Error('boom'); return { spec: { title: 'x' } }; } }] }`;
    await putDesk(cwd, { spec: SECOND, options });
    const { code, model } = await planned();
    expect(code).toBe(5);
    expect(model.problems).toMatchObject([{ kind: 'conversion', count: 11 }]);
    expect(model.problems[0]?.examples[0]).toEqual({
      name: 't-0',
      problem: expect.stringContaining('up() of version v1alpha1 failed: boom') as string,
    });
  });

  it('counts objects of a version that no class declares', async () => {
    await storeOf(3);
    await putDesk(cwd, { spec: SECOND });
    const { code, model } = await planned();
    expect(code).toBe(5);
    expect(model.problems).toMatchObject([{ kind: 'undeclared-version', path: 'v1alpha1', count: 3 }]);
  });

  const unique = `specs.add(IndexSpecs.single('spec.subject', 'string').unique().indexFunc((t) => t.spec.subject));`;

  it('counts values that a new unique index has twice', async () => {
    await storeOf(30, (i) => ({ subject: `s${i % 18}` }));
    await putDesk(cwd, { ...BEFORE, indexes: unique });
    const { code, model } = await planned();
    expect(code).toBe(5);
    expect(model.changes.map(textOf)).toEqual(['spec.subject: unique index added']);
    expect(model.problems).toMatchObject([{ kind: 'duplicate', path: 'spec.subject', count: 12 }]);
    expect(model.problems[0]?.examples).toHaveLength(10);
    expect(model.problems[0]?.examples[0]).toEqual({ name: 't-18', problem: 'has "s0", which "t-0" has' });
  });

  it('has no objection to a new unique index whose values are', async () => {
    await storeOf(30);
    await putDesk(cwd, { ...BEFORE, indexes: unique });
    expect(await planned()).toMatchObject({ code: 10, model: { problems: [] } });
  });

  it('reports outstanding migrations, and their results for objects', async () => {
    await storeOf(3);
    const migration = (up: string): DeskOptions => ({
      ...BEFORE,
      options: `{ migrations: [{ id: 'counted', description: 'counts', up: ${up} }] }`,
    });
    await putDesk(cwd, migration(`(t) => ({ ...t, spec: { ...t.spec, count: 1 } })`));
    expect(await planned()).toMatchObject({
      code: 10,
      model: {
        changes: [{ kind: 'migration-added', path: 'counted', text: 'migration to run (counts)' }],
      },
    });
    await putDesk(cwd, migration(`(t) => ({ ...t, spec: { ...t.spec, count: 'one' } })`));
    expect(await planned()).toMatchObject({ code: 5, model: { problems: [{ kind: 'unfit', count: 3 }] } });
    await putDesk(cwd, migration(`(t) => ({ ...t, spec: { ...t.spec, count: 1 } })`));
    expect(await xsvc('model migrate')).toMatchObject({ code: 0 });
    expect(await planned()).toMatchObject({ code: 0 });
    await putDesk(cwd, BEFORE);
    expect(await planned()).toMatchObject({
      code: 5,
      model: {
        changes: [{ kind: 'migration-removed' }],
        problems: [{ kind: 'undeclared-migration', path: 'counted', count: 3 }],
      },
    });
  });

  it('warns of conversions that lose what the older version states', async () => {
    await storeOf(5, (i) => ({ subject: `s${i}`, channel: 'mail' }));
    const options = `{ versions: [{ model: OldTicket,
      up: ({ spec: { subject, channel } }) => ({ spec: { title: subject, channel } }),
      down: ({ spec: { title } }) => ({ spec: { subject: title } }) }] }`;
    await putDesk(cwd, { spec: SECOND, options });
    const { code, model } = await planned();
    expect(code).toBe(10);
    expect(model.warnings).toEqual([
      'version v1alpha1: 5 of 5 tried have other values in spec.channel after conversion there and back',
    ]);
  });

  it('is about the plugins that are named', async () => {
    await storeOf(3);
    await putDesk(cwd, RENAMED);
    await putFiles(cwd, {
      'plugins/other/plugin.yaml':
        'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: other }\nspec: { version: 1.0.0 }\n',
      'plugins/other/index.js': 'throw new Error("broken")',
    });
    expect(await planned()).toMatchObject({ code: 5, plan: { failures: [{ plugin: 'other' }] } });
    expect(await planned('model plan desk')).toMatchObject({ code: 10, plan: { failures: [] } });
    expect(await xsvc('model plan dask')).toMatchObject({
      code: 3,
      err: expect.stringContaining('did you mean "desk"') as string,
    });
  });
});

const COUNTED: DeskOptions = {
  ...RENAMED,
  options: RENAMED.options.replace(
    /}$/,
    `, migrations: [{ id: 'counted', up: (t) => ({ ...t, spec: { ...t.spec, count: (t.spec.count ?? 0) + 1 } }) }] }`,
  ),
};

describe('xsvc model migrate', () => {
  it('runs migrations and rewrites the objects, once', async () => {
    await storeOf(230);
    await putDesk(cwd, COUNTED);
    expect(await xsvc('model migrate Ticket')).toMatchObject({
      code: 0,
      out: 'tickets migrated: 230 objects, counted\n',
    });
    expect(await xsvc('model migrate')).toMatchObject({ code: 0 });
    expect((await xsvc('model list')).out).toMatch(/ v1=230 +desk +230 /);
    const { out } = await xsvc('get tickets -o jsonpath={.items[*].spec.count}');
    expect(new Set(out.split(' '))).toEqual(new Set(['1']));
    expect(await xsvc('model migrate')).toMatchObject({ code: 0, out: 'nothing to do\n' });
    expect(await xsvc('check')).toMatchObject({ code: 0 });
  });

  it('rewrites objects whose storage version moved', async () => {
    await storeOf(230);
    await putDesk(cwd, RENAMED);
    expect(await xsvc('model migrate tickets')).toMatchObject({
      code: 0,
      out: 'tickets rewritten to v1: 230 objects\n',
    });
    expect(await xsvc('model plan')).toMatchObject({ code: 0 });
    expect(await xsvc('check --schema')).toMatchObject({ code: 0 });
  });

  it('knows the models there are', async () => {
    await storeOf(1);
    expect(await xsvc('model migrate Tocket')).toMatchObject({
      code: 3,
      err: expect.stringContaining('did you mean "ticket') as string,
    });
    rmSync(path.join(cwd, 'plugins'), { recursive: true });
    expect(await xsvc('model migrate Ticket')).toMatchObject({ code: 6 });
  });

  it('writes nothing when objects would be invalid', async () => {
    await storeOf(3);
    const up = `(t) => ({ ...t, spec: { ...t.spec, count: 'one' } })`;
    await putDesk(cwd, { ...BEFORE, options: `{ migrations: [{ id: 'bad', up: ${up} }] }` });
    expect(await xsvc('model migrate')).toMatchObject({
      code: 5,
      err: expect.stringContaining(
        '3 objects of Ticket would be invalid, so nothing was written: t-0',
      ) as string,
    });
    expect((await xsvc('get tickets -o jsonpath={.items[*].spec.count}')).out.trim()).toBe('');
  });

  it('is refused while a process serves the model', async () => {
    await storeOf(3);
    await putDesk(cwd, RENAMED);
    // A process that runs, other than this one.
    const holder = `${(await import('node:os')).hostname()}/${process.ppid}/x`;
    const store = await openTestStore(path.join(cwd, '.xsvc'), () => Date.now(), holder);
    const { publishServedModels: publishModels } = await import('../../../src/cluster/served-models.js');
    await publishModels(store.engine, holder, ['desk.example.com/Ticket']);
    try {
      for (const line of ['model migrate', 'model migrate Ticket'])
        expect(await xsvc(line)).toMatchObject({
          code: 6,
          err: expect.stringContaining(`process ${process.ppid} on `) as string,
        });
    } finally {
      await store.close();
    }
    expect(await xsvc('model migrate')).toMatchObject({ code: 0 });
  });
});

describe('xsvc model drop', () => {
  const HELD = { finalizers: ['desk.example.com/close'] };

  async function storeWithoutPlugin(): Promise<void> {
    await putDesk(cwd, BEFORE);
    const lines = tickets(230, (i) => ({ subject: `s${i}` })).replaceAll(
      '"metadata":{',
      `"metadata":{"finalizers":${JSON.stringify(HELD.finalizers)},`,
    );
    await putFiles(cwd, { 'tickets.ndjson': `${lines}\n` });
    expect(await xsvc('import -f tickets.ndjson')).toMatchObject({ code: 0 });
    rmSync(path.join(cwd, 'plugins'), { recursive: true });
  }

  it('removes a model with its objects, whatever finalizers they have, and forgets it', async () => {
    await storeWithoutPlugin();
    expect(await xsvc('model drop Ticket --yes')).toMatchObject({
      code: 0,
      out: 'tickets.desk.example.com dropped: 230 objects\n',
    });
    expect((await xsvc('model list -o name')).out).not.toContain('tickets');
    expect(await xsvc('check')).toMatchObject({ code: 0 });
    expect(await xsvc('model drop Ticket --yes')).toMatchObject({ code: 3 });
    await storeOf(2);
    expect((await xsvc('get tickets -o name')).out).toBe('tickets/t-0\ntickets/t-1\n');
    expect(await xsvc('check')).toMatchObject({ code: 0 });
  });

  it('asks at a terminal, and needs --yes where there is none', async () => {
    await storeWithoutPlugin();
    expect(await xsvc('model drop Ticket')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Remove 230 objects of tickets.desk.example.com') as string,
    });
    expect((await xsvc('get tickets -o name')).out).toContain('tickets/t-229');
  });

  it('is refused while a plugin declares the model, also one that is switched off or broken', async () => {
    await storeOf(3);
    const refused = { code: 6, err: expect.stringContaining('declared by the plugin "desk"') as string };
    expect(await xsvc('model drop Ticket --yes')).toMatchObject(refused);
    expect(await xsvc('plugin disable desk')).toMatchObject({ code: 0 });
    expect(await xsvc('model drop Ticket --yes')).toMatchObject(refused);
    await putFiles(cwd, { 'plugins/desk/index.js': 'throw new Error("broken")' });
    expect(await xsvc('model drop Ticket --yes')).toMatchObject({
      code: 6,
      err: expect.stringContaining('cannot determine whether the plugin "desk" declares Ticket') as string,
    });
    expect(await xsvc('model drop User --yes')).toMatchObject({ code: 6 });
    expect((await xsvc('get tickets -o name')).out).toContain('tickets/t-2');
  });

  it('removes what is stored in a version that no class declares', async () => {
    await storeOf(230);
    await putDesk(cwd, RENAMED);
    expect(await xsvc('model drop Ticket --version v1alpha1 --yes')).toMatchObject({
      code: 6,
      err: expect.stringContaining('version v1alpha1 of Ticket is declared by the plugin "desk"') as string,
    });
    await putFiles(cwd, { 'one.json': tickets(1, () => ({ title: 'now' }), 'v1') });
    expect(await xsvc('apply -f one.json')).toMatchObject({ code: 0 });
    await putDesk(cwd, { spec: SECOND });
    expect(await xsvc('model plan')).toMatchObject({ code: 5 });
    expect(await xsvc('model drop Ticket --version v1alpha1 --yes')).toMatchObject({
      code: 0,
      out: 'tickets.desk.example.com dropped: 229 objects stored in version v1alpha1\n',
    });
    expect(await xsvc('model drop Ticket --version v1alpha1 --yes')).toMatchObject({ code: 3 });
    expect((await xsvc('get tickets -o name')).out).toBe('tickets/t-0\n');
    expect(await xsvc('model plan')).toMatchObject({ code: 10 });
    expect(await xsvc('check')).toMatchObject({ code: 0 });
  });
});

describe('xsvc check --schema', () => {
  it('lists what does not fit, by name and problem', async () => {
    await storeOf(3, (i) => ({ subject: 's', channel: i === 1 ? 'fax' : 'mail' }), { spec: FIRST });
    expect(await xsvc('check --schema')).toMatchObject({ code: 0, out: '' });
    const narrow = { ...FIRST.properties, channel: SECOND.properties.channel };
    await putDesk(cwd, { spec: { ...FIRST, properties: narrow } });
    expect((await xsvc('model list')).out).toMatch(/ Ticket +v1 +v1=3 +desk +3 +1$/m);
    expect(await xsvc('check')).toMatchObject({ code: 0, out: '' });
    expect(await xsvc('check --schema')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Ticket "t-1": spec\.channel: .*\n$/) as string,
      err: expect.stringContaining('1 object is invalid\n') as string,
    });
  });
});
