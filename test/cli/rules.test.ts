import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { putDesk, tickets } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

let cwd = '';
beforeEach(() => {
  cwd = temporaryDirectory();
});

const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });
const text = { type: 'string' };
const schema = { type: 'object', properties: { subject: text, count: { type: 'integer' } } };
const ruled = (...rules: readonly object[]): object => ({ ...schema, 'x-kubernetes-validations': rules });
const SMALL = { rule: '!has(self.count) || self.count < 3', message: 'is too many', fieldPath: '.count' };
const manifests = (...counts: readonly number[]): string =>
  `${tickets(counts.length, (i) => ({ count: counts[i] }), 'v1')}\n`;
const said = (result: CliResult): string => result.out + result.err;

describe('rules on the command line', () => {
  it('apply to validation, dry runs and writes', async () => {
    await putDesk(cwd, { spec: ruled(SMALL) });
    await putFiles(cwd, {
      'bad.yaml': manifests(1, 5).trim().split('\n').join('\n---\n'),
      'bad.ndjson': manifests(1, 5),
    });
    for (const line of [
      'validate -f bad.yaml',
      'apply -f bad.yaml --dry-run',
      'apply -f bad.yaml',
      'create -f bad.yaml',
    ]) {
      const result = await xsvc(line);
      expect([line, result.code]).toEqual([line, 5]);
      expect(result.err).toMatch(/bad\.yaml:3(:\d+)?: .*spec\.count:? is too many/);
    }
    expect(await xsvc('get tickets -o name')).toMatchObject({ out: 'tickets/t-0\n' });
    const imported = await xsvc('import -f bad.ndjson');
    expect(imported.code).toBe(5);
    expect(imported.err).toContain('is too many');
  });

  it('are part of the explanation', async () => {
    await putDesk(cwd, { spec: ruled(SMALL) });
    await putFiles(cwd, { 'one.ndjson': manifests(1) });
    expect(await xsvc('create -f one.ndjson')).toMatchObject({ code: 0 });
    const { out } = await xsvc('explain tickets.spec');
    expect(out).toContain('(rule: !has(self.count) || self.count < 3: is too many)');
  });

  it('are changes of a model, with the objects that break them', async () => {
    await putDesk(cwd, { spec: ruled({ rule: 'self.subject != ""' }) });
    await putFiles(cwd, {
      'tickets.ndjson': `${tickets(4, (i) => ({ subject: 's', count: i }), 'v1')}\n`,
    });
    expect(await xsvc('import -f tickets.ndjson')).toMatchObject({ code: 0 });
    expect(await xsvc('check --schema')).toMatchObject({ code: 0 });
    await putDesk(cwd, { spec: ruled(SMALL, { rule: 'self.subject == oldSelf.subject' }) });
    const plan = await xsvc('model plan');
    expect(plan.code).toBe(5);
    expect(plan.out).toContain('spec: the rule "!has(self.count) || self.count < 3" added');
    expect(plan.out).toContain('spec: the rule "self.subject != \\"\\"" removed');
    expect(plan.out).toMatch(/problem: 1 object would be invalid\n {4}t-3: spec\.count: is too many\n/);
    expect(await xsvc('check --schema')).toMatchObject({
      code: 1,
      out: 'Ticket "t-3": spec.count: is too many\n',
    });
    const label = await xsvc('label tickets t-3 a=b');
    expect(label.code).toBe(0);
    expect(label.err).toContain('spec.count: is too many (an error from before this write)');
  });

  it('that are invalid are printed once by a plan', async () => {
    await putDesk(cwd, { spec: ruled(SMALL) });
    await putFiles(cwd, { 'tickets.ndjson': manifests(1) });
    expect(await xsvc('import -f tickets.ndjson')).toMatchObject({ code: 0 });
    await putDesk(cwd, { spec: ruled({ rule: 'self.nothing == 1' }) });
    const plan = await xsvc('model plan');
    expect([plan.code, plan.err]).toEqual([5, '']);
    expect(plan.out.match(/self\.nothing == 1/g)).toHaveLength(1);
    expect(plan.out).toMatch(/^plugin desk would fail: .*\nneeds attention: 1 plugin\n$/);
    const migrate = await xsvc('model migrate');
    expect([migrate.code, migrate.out]).toEqual([1, '']);
    expect(migrate.err.match(/self\.nothing == 1/g)).toHaveLength(1);
  });

  it('of a declared object keep the plugin from starting', async () => {
    await putDesk(cwd, { spec: ruled(SMALL) });
    await putFiles(cwd, { 'plugins/desk/extensions/seed.yaml': manifests(7) });
    const result = await xsvc('create -f plugins/desk/extensions/seed.yaml');
    expect(result.code).not.toBe(0);
    expect(said(result)).toContain('is too many');
  });

  it('that cannot be used keep the plugin from starting, and are named with place and position', async () => {
    await putDesk(cwd, { spec: ruled({ rule: 'self.cuont < 3' }) });
    await putFiles(cwd, { 'one.ndjson': manifests(1) });
    for (const line of ['create -f one.ndjson', 'validate -f one.ndjson']) {
      const result = await xsvc(line);
      expect(result.code).not.toBe(0);
      expect(said(result)).toContain(
        'spec: the rule "self.cuont < 3" is invalid: there is no field "cuont", did you mean "count"?, at character 6',
      );
    }
  });

  it('of each version apply to writes in it, and those of the storage version to all writes', async () => {
    const old = { type: 'object', properties: { title: text, count: { type: 'integer' } } };
    await putDesk(cwd, {
      spec: ruled(SMALL),
      oldSpec: {
        ...old,
        'x-kubernetes-validations': [
          { rule: '!has(self.title) || self.title != "x"', message: 'is no title' },
        ],
      },
      options: `{
        versions: [{ model: OldTicket,
          up: ({ spec: { title, ...rest } }) => ({ spec: { subject: title, ...rest } }),
          down: ({ spec: { subject, ...rest } }) => ({ spec: { title: subject, ...rest } }) }],
        validate: ({ spec }) => (spec.subject === 'y' ? [{ field: 'spec.subject', message: 'is no subject' }] : []),
      }`,
    });
    const one = (version: string, spec: object): string => tickets(1, () => spec, version);
    await putFiles(cwd, {
      'title.ndjson': one('v1alpha1', { title: 'x' }),
      'count.ndjson': one('v1alpha1', { title: 'a', count: 5 }),
      'code.ndjson': one('v1alpha1', { title: 'y' }),
      'stored.ndjson': one('v1', { subject: 'x' }),
    });
    for (const command of ['validate', 'create']) {
      expect((await xsvc(`${command} -f title.ndjson`)).err).toMatch(/spec:? is no title/);
      expect((await xsvc(`${command} -f count.ndjson`)).err).toMatch(/spec\.count:? is too many/);
      expect((await xsvc(`${command} -f code.ndjson`)).err).toMatch(/spec\.subject:? is no subject/);
    }
    expect(await xsvc('create -f stored.ndjson')).toMatchObject({ code: 0 });
  });
});
