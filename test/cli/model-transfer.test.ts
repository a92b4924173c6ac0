import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { runProgram } from '../helpers/daemon.js';
import { BEFORE, putDesk, RENAMED, tickets, type DeskOptions } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });

let cwd = '';

/** Two tickets of the first version, and one of the next. */
beforeEach(async () => {
  cwd = temporaryDirectory();
  await putDesk(cwd, BEFORE);
  await putFiles(cwd, {
    'old.ndjson': `${tickets(2, (i) => ({ subject: `s${i}` }))}\n`,
    'new.json': tickets(1, () => ({ title: 'new' }), 'v1').replace('t-0', 'new'),
  });
  expect(await xsvc('import -f old.ndjson')).toMatchObject({ code: 0 });
  await putDesk(cwd, RENAMED);
  expect(await xsvc('apply -f new.json')).toMatchObject({ code: 0 });
  expect((await xsvc('model list')).out).toMatch(
    / v1=1,v1alpha1=2 +desk +3 +0$|v1alpha1=2,v1=1 +desk +3 +0$/m,
  );
});

const apiVersions = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { apiVersion: string }).apiVersion);

describe('objects of a model that are stored in several versions', () => {
  it('are exported in the storage version', async () => {
    for (const what of ['tickets', '--all']) {
      const { code, out } = await xsvc(`export ${what} -o ndjson`);
      expect(code).toBe(0);
      // With kinds of Kubernetes, which every store has.
      const exported = apiVersions(out).filter((one) => one !== 'v1');
      expect(exported).toEqual(Array(3).fill('desk.example.com/v1'));
      expect(out).toContain('"title":"s0"');
    }
  });

  it('are imported from files of any served version', async () => {
    expect(await xsvc('export tickets.v1alpha1.desk.example.com -o ndjson -f exported.ndjson')).toMatchObject(
      {
        code: 0,
      },
    );
    const text = readFileSync(path.join(cwd, 'exported.ndjson'), 'utf8');
    expect(apiVersions(text)).toEqual(Array(3).fill('desk.example.com/v1alpha1'));
    expect(await xsvc('import -f exported.ndjson --data-dir copy')).toMatchObject({
      code: 0,
      out: '3 created\n',
    });
    const { out } = await xsvc('get tickets -o jsonpath={.items[*].spec.title} --data-dir copy');
    expect(out.trim()).toBe('new s0 s1');
    expect((await xsvc('model list --data-dir copy')).out).toMatch(/ v1=3 +desk +3 +0$/m);
  });

  it('are exported to files that only their owner may read, also in place of others', async () => {
    writeFileSync(path.join(cwd, 'all.ndjson'), 'before', { mode: 0o644 });
    for (const name of ['all.ndjson', 'new.ndjson']) {
      expect(await xsvc(`export tickets -f ${name}`)).toMatchObject({ code: 0 });
      expect(statSync(path.join(cwd, name)).mode & 0o777).toBe(0o600);
    }
  });

  it('may be stated twice by a file, in two versions: the later one holds', async () => {
    const both = [
      tickets(1, () => ({ title: 'first' }), 'v1'),
      tickets(1, () => ({ subject: 'second' })),
    ].join('\n');
    await putFiles(cwd, { 'both.ndjson': `${both}\n` });
    expect(await xsvc('import -f both.ndjson --data-dir copy')).toMatchObject({ code: 0 });
    const { out } = await xsvc('get tickets -o jsonpath={.items[*].spec.title} --data-dir copy');
    expect(out.trim()).toBe('second');
  });

  it('are counted and removed when the plugin is uninstalled', async () => {
    expect(await xsvc('plugin uninstall desk --export out --yes')).toMatchObject({
      code: 0,
      err: expect.stringContaining('tickets.desk.example.com/v1: 3 objects would be written') as string,
    });
    const text = readFileSync(path.join(cwd, 'out/tickets.desk.example.com.v1.yaml'), 'utf8');
    expect(text.match(/^apiVersion: desk\.example\.com\/v1$/gm)).toHaveLength(3);
    expect((await xsvc('get tickets')).err).toBe('no tickets found\n');
    expect(await xsvc('check')).toMatchObject({ code: 0 });
  });

  it('are the same in a restored backup, which goes on where the store was', async () => {
    const at = (name: string): string => path.join(cwd, name);
    const copied = await runProgram(['backup', at('copy.xsvcbackup'), '--data-dir', at('.xsvc')]);
    expect(copied).toMatchObject({ code: 0 });
    const restored = await runProgram(['restore', at('copy.xsvcbackup'), '--data-dir', at('copy')]);
    expect(restored).toMatchObject({ code: 0 });
    expect(await xsvc('model plan --data-dir copy')).toMatchObject({ code: 10 });
    expect(await xsvc('model migrate --data-dir copy')).toMatchObject({ code: 0 });
    expect((await xsvc('model list --data-dir copy')).out).toMatch(/ v1=3 +desk +3 +0$/m);
  });
});

describe('objects of before a migration', () => {
  it('are brought up at the next start when the plugin of that time imports them', async () => {
    await putDesk(cwd, BEFORE);
    expect(await xsvc('import -f old.ndjson --data-dir copy')).toMatchObject({ code: 0 });
    const migrated: DeskOptions = {
      ...RENAMED,
      options: RENAMED.options.replace(
        /}$/,
        `, migrations: [{ id: 'm', up: (t) => ({ ...t, spec: { ...t.spec, channel: 'mail' } }) }] }`,
      ),
    };
    await putDesk(cwd, migrated);
    expect(await xsvc('model migrate --data-dir copy')).toMatchObject({ code: 0 });
    const { out } = await xsvc('get tickets -o jsonpath={.items[*].spec.channel} --data-dir copy');
    expect(out.trim()).toBe('mail mail');
  });
});
