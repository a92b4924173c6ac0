import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { ARTICLES, line, PLAIN, putPress, REFERENCES, WRITERS } from '../../helpers/press.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PLUGINS = '/apis/plugin.platform.run/v1alpha1/plugins';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let cwd: string;
beforeEach(() => {
  cwd = temporaryDirectory();
});
afterEach(killDaemons);
afterAll(removeDirectories);

const xsvc = (command: string): Promise<CliResult> => runCli(command.split(' '), { cwd });

function serve(...plugins: readonly string[]): Promise<DaemonProcess> {
  return startDaemonProcess({
    dataDir: path.join(cwd, '.xsvc'),
    plugins: plugins.map((name) => path.join(cwd, 'plugins', name)),
  });
}

async function put(file: string, ...lines: readonly string[]): Promise<void> {
  await putFiles(cwd, { [file]: lines.join('') });
}

describe('references on the command line', () => {
  it('are kept by apply, whatever the order in the files, and by delete with a selector', async () => {
    await putPress(cwd);
    await put('bad.ndjson', line('Article', 'news', { writer: 'ann' }), line('Writer', 'bob'));
    expect(await xsvc('apply -f bad.ndjson')).toEqual({
      code: 5,
      out: '',
      err: 'error: bad.ndjson:1: spec.writer Writer "ann" not found\nnothing was written: all objects are written in one commit\n',
    });
    await put(
      'all.ndjson',
      line('Article', 'news', { writer: 'ann', owner: 'bob' }),
      line('Writer', 'ann'),
      line('Writer', 'bob'),
    );
    expect((await xsvc('apply -f all.ndjson')).code).toBe(0);
    const refused = await xsvc('delete writers ann');
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('Writer "ann" cannot be deleted: 1 object refers to it');
    expect(await xsvc('delete writers bob')).toMatchObject({ code: 0, out: 'writers/bob deleted\n' });
    expect((await xsvc('get articles -o name')).out).toBe('');
    expect((await xsvc('delete writers ann')).code).toBe(0);
    const kept = ['a', 'b', 'c'].map((name) => line('Article', name, { writer: 'ann' }));
    await put('kept.ndjson', line('Writer', 'ann'), ...kept);
    await xsvc('apply -f kept.ndjson');
    // The writer is stated first, and kept by those behind it.
    const gone = await xsvc('delete -f kept.ndjson');
    expect(gone).toMatchObject({ code: 0, err: '' });
    expect(gone.out.split('\n').sort().join(' ')).toBe(
      ' articles/a deleted articles/b deleted articles/c deleted writers/ann deleted',
    );
  });

  it('are the only errors of an apply in one commit, and resolve when each object is one commit', async () => {
    await putPress(cwd);
    await put(
      'all.ndjson',
      line('Article', 'news', { writer: 'ann' }),
      line('Article', 'more', { writer: 'cy' }),
      line('Writer', 'ann'),
    );
    expect(await xsvc('apply -f all.ndjson')).toEqual({
      code: 5,
      out: '',
      err: 'error: all.ndjson:2: spec.writer Writer "cy" not found\nnothing was written: all objects are written in one commit\n',
    });
    const each = await xsvc('apply -f all.ndjson --atomic=false');
    expect(each).toMatchObject({ code: 5, out: 'writers/ann created\narticles/news created\n' });
    expect(each.err).toBe('error: all.ndjson:2: spec.writer Writer "cy" not found\n');
  });

  it('are shown by explain, types and describe', async () => {
    await putPress(cwd);
    await put(
      'all.ndjson',
      line('Writer', 'ann'),
      line('Article', 'news', { writer: 'ann' }),
      line('Article', 'more', { writer: 'ann' }),
    );
    await xsvc('apply -f all.ndjson');
    const { out } = await xsvc('explain articles.spec');
    expect(out).toContain('(refers to Writer of press.example.com; on delete: clear)');
    expect(out).toContain('(indexed: selectable, sortable, by string)');
    expect((await xsvc('types')).out).toContain(
      '/** Name of an object of the kind Writer (press.example.com). */\n    writer?: string;',
    );
    const described =
      'Referred to by:\n  2 articles.press.example.com by spec.writer (restrict): news, more\n';
    expect((await xsvc('describe writer ann')).out).toContain(described);
    const daemon = await serve('people', 'press');
    expect((await xsvc(`describe writer ann --server ${daemon.url}`)).out).toContain(described);
    await daemon.stop();
  });

  it('let a command finish a deletion that is too large for one commit', async () => {
    await putPress(cwd);
    const articles = Array.from({ length: 1_300 }, (_, i) => line('Article', `a${i}`, { owner: 'ann' }));
    await put('all.ndjson', line('Writer', 'ann'), ...articles);
    expect((await xsvc('import -f all.ndjson')).code).toBe(0);
    expect(await xsvc('delete writers ann')).toMatchObject({ code: 0, err: '' });
    expect((await xsvc('get articles,writers -o name')).out).toBe('');
  });

  it('keep a model from being dropped while a declared one refers to its objects', async () => {
    await putPress(cwd);
    await put(
      'all.ndjson',
      ...['ann', 'bob'].map((name) => line('Writer', name)),
      line('Article', 'a', { writer: 'ann', editor: 'ann' }),
      line('Article', 'b', { owner: 'bob' }),
    );
    expect(await xsvc('apply -f all.ndjson')).toMatchObject({ code: 0 });
    rmSync(path.join(cwd, 'plugins', 'people'), { recursive: true });
    const said = (count: string, field: string, from: string): object => ({
      code: 4,
      out: '',
      err: expect.stringContaining(
        `Writer is not removed: ${count} of ${field} in articles.press.example.com refers to its objects, first of ${from};`,
      ) as string,
    });
    expect(await xsvc('model drop Writer --yes')).toMatchObject(
      said('1 value', 'spec.writer', '"a" to "ann"'),
    );
    expect(await xsvc('delete articles a')).toMatchObject({ code: 0 });
    expect(await xsvc('model drop Writer --yes')).toMatchObject(
      said('1 value', 'spec.owner', '"b" to "bob"'),
    );
    expect((await xsvc('get writers -o name')).out).toBe('writers/ann\nwriters/bob\n');
    // A reference that no model declares any more keeps no object.
    rmSync(path.join(cwd, 'plugins', 'press'), { recursive: true });
    expect(await xsvc('model drop Writer --yes')).toMatchObject({
      code: 0,
      out: 'writers.press.example.com dropped: 2 objects\n',
    });
    expect(await xsvc('model drop Article --yes')).toMatchObject({ code: 0 });
    expect(await xsvc('check')).toMatchObject({ code: 0 });
  });

  it('of an import are found whatever comes first', async () => {
    await putPress(cwd);
    const articles = Array.from({ length: 1_300 }, (_, i) => line('Article', `a${i}`, { writer: 'ann' }));
    await put('all.ndjson', ...articles, line('Writer', 'ann'));
    expect(await xsvc('import -f all.ndjson')).toMatchObject({ code: 0, out: '1301 created\n' });
  });
});

describe('a new reference', () => {
  it('has the names without a target counted before the start, and after it in log and status', async () => {
    await putPress(cwd, PLAIN);
    await put(
      'all.ndjson',
      line('Writer', 'ann'),
      line('Article', 'a', { writer: 'ann', editor: 'x' }),
      line('Article', 'b', { writer: 'y' }),
    );
    await xsvc('apply -f all.ndjson');
    await putPress(cwd);
    const plan = await xsvc('model plan');
    expect(plan.code).toBe(5);
    expect(plan.out).toContain(
      'spec.writer: reference added to Writer of press.example.com, on delete restrict',
    );
    expect(plan.out).toContain(
      'problem: 1 value of spec.writer refers to a missing Writer; they are rejected when they are written again\n    b: spec.writer: Writer "y" not found',
    );
    const daemon = await serve('people', 'press');
    const statusOf = async (): Promise<unknown> =>
      ((await daemon.get(`${PLUGINS}/press`)).json() as { status?: { models?: unknown[] } }).status
        ?.models?.[0];
    await expect.poll(statusOf).toMatchObject({ kind: 'Article', unfit: 0, dangling: 2 });
    expect(daemon.output.stderr).toContain('1 value of spec.editor refers to a missing Writer');
    const patch = (body: object) => daemon.send('PATCH', `${ARTICLES}/b`, { headers: MERGE, body });
    const kept = await patch({ metadata: { labels: { a: 'b' } } });
    expect(String(kept.headers.warning)).toContain(
      'Writer \\"y\\" not found (an error from before this write)',
    );
    expect((await patch({ spec: { writer: 'z' } })).status).toBe(422);
    expect((await patch({ spec: { writer: 'ann' } })).status).toBe(200);
    expect((await daemon.send('DELETE', `${WRITERS}/ann`)).status).toBe(409);
    await daemon.stop();
  });

  it('to a model that no plugin declared lets the plugin start with a warning, and refuses names', async () => {
    await putPress(cwd);
    const daemon = await serve('press');
    expect(daemon.output.stderr).toContain('Article: spec.writer refers to the model Writer of the group');
    const answer = await daemon.send('POST', ARTICLES, {
      body: { metadata: { name: 'a' }, spec: { writer: 'ann' } },
    });
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({
      details: { causes: [{ field: 'spec.writer', reason: 'FieldValueNotFound' }] },
    });
    await daemon.stop();
  });

  it('that is declared wrongly fails the plugin, with its place', async () => {
    await putPress(cwd, { writer: { ...REFERENCES.writer, type: 'integer' } });
    const daemon = await serve('people', 'press');
    const { status } = (await daemon.get(`${PLUGINS}/press`)).json() as unknown as {
      status: { phase: string; message: string };
    };
    expect(status.phase).toBe('FAILED');
    expect(status.message).toContain('spec.writer: a reference must be of type string');
    await daemon.stop();
  });
});

describe('a migration', () => {
  it('that leaves names without a target is reported before the start and after it', async () => {
    await putPress(cwd);
    await put('all.ndjson', line('Writer', 'ann'), line('Article', 'a', { writer: 'ann' }));
    await xsvc('apply -f all.ndjson');
    const before = await serve('people', 'press');
    await before.stop();
    const file = path.join(cwd, 'plugins', 'press', 'index.mjs');
    const migration = `{ id: 'm1', description: 'm', up: (old) => ({ ...old, spec: { ...old.spec, editor: 'gone' } }) }`;
    const code = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      code.replace('register(Article);', `register(Article, undefined, { migrations: [${migration}] });`),
    );
    const plan = await xsvc('model plan');
    expect(plan.out).toContain('1 value of spec.editor refers to a missing Writer');
    const daemon = await serve('people', 'press');
    await expect.poll(async () => (await daemon.get(`${PLUGINS}/press`)).text).toMatch(/"dangling":1/);
    expect(daemon.output.stderr).toContain('1 value of spec.editor refers to a missing Writer');
    await daemon.stop();
  });
});

describe('references over HTTP', () => {
  it('hold while the plugin of those that refer is stopped', async () => {
    await putPress(cwd);
    const daemon = await serve('people', 'press');
    for (const name of ['ann', 'bob', 'cy'])
      expect((await daemon.send('POST', WRITERS, { body: { metadata: { name } } })).status).toBe(201);
    for (const [name, spec] of Object.entries({
      a: { writer: 'ann' },
      b: { owner: 'bob' },
      c: { editor: 'cy' },
    }))
      expect((await daemon.send('POST', ARTICLES, { body: { metadata: { name }, spec } })).status).toBe(201);
    const enable = (enabled: boolean) =>
      daemon.send('PATCH', `${PLUGINS}/press`, { headers: MERGE, body: { spec: { enabled } } });
    await enable(false);
    await expect.poll(async () => (await daemon.get(ARTICLES)).status).toBe(404);
    const refused = await daemon.send('DELETE', `${WRITERS}/ann`);
    expect(refused.status).toBe(409);
    expect(refused.json()).toMatchObject({
      reason: 'Conflict',
      details: { name: 'ann', causes: [{ field: 'metadata.name' }] },
    });
    expect((await daemon.send('DELETE', `${WRITERS}/bob`)).status).toBe(200);
    expect((await daemon.send('DELETE', `${WRITERS}/cy`)).status).toBe(503);
    await enable(true);
    await expect.poll(async () => (await daemon.get(`${ARTICLES}/b`)).status).toBe(404);
    await expect.poll(async () => (await daemon.send('DELETE', `${WRITERS}/cy`)).status).toBe(200);
    expect((await daemon.get(`${ARTICLES}/c`)).json()).toMatchObject({
      spec: {},
      metadata: { generation: 2 },
    });
    await daemon.stop();
  });

  it('list the referrers of an object, and are in the description', async () => {
    await putPress(cwd);
    const daemon = await serve('people', 'press');
    await daemon.send('POST', WRITERS, { body: { metadata: { name: 'ann' } } });
    for (const name of ['a', 'b'])
      await daemon.send('POST', ARTICLES, { body: { metadata: { name }, spec: { writer: 'ann' } } });
    const referrers = '/apis/api.platform.run/v1alpha1/referrers';
    const answer = await daemon.get(`${referrers}?resource=writers.press.example.com&name=ann&limit=1`);
    expect(answer.json()).toMatchObject({
      kind: 'ReferrerList',
      items: [
        {
          kind: 'Article',
          plural: 'articles',
          field: 'spec.writer',
          onDelete: 'restrict',
          total: 2,
          names: ['a'],
        },
        { field: 'spec.owner', total: 0 },
        { field: 'spec.editor', total: 0 },
      ],
    });
    expect((await daemon.get(referrers)).status).toBe(400);
    expect((await daemon.get(`${referrers}?resource=nothing&name=a`)).status).toBe(404);
    expect((await daemon.get(`${referrers}?resource=writers&name=a&limit=x`)).status).toBe(400);
    const { text } = await daemon.get('/openapi/v3/apis/press.example.com/v1');
    expect(text).toContain(
      '"x-xsvc-reference":{"group":"press.example.com","kind":"Writer","onDelete":"cascade"}',
    );
    await daemon.stop();
  });
});
