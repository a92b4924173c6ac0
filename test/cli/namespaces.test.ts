import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult, type CliWorld } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { gadgets } from '../helpers/definitions.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let daemon: DaemonProcess;
beforeAll(async () => {
  daemon = await startDaemonProcess({ dataDir: path.join(temporaryDirectory(), 'data'), plugins: [] });
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

const GROUP = 'stable.example.com';
let count = 0;
/** A kind of this test alone. */
let plural = '';
let kind = '';
let cwd = '';
beforeEach(() => {
  count += 1;
  [plural, kind] = [`tab${count}s`, `Tab${count}`];
  cwd = temporaryDirectory();
});

function definition({ type = 'integer', scope = 'Namespaced' } = {}): string {
  const size = { type, description: 'How large.' };
  const body = gadgets((spec) => {
    Object.assign(spec, { group: GROUP, scope, names: { plural, singular: kind.toLowerCase(), kind } });
    for (const { schema } of spec.versions)
      schema.openAPIV3Schema.properties = { spec: { type: 'object', properties: { size } } };
  });
  return JSON.stringify(body);
}

function object(name: string, namespace?: string, size: unknown = 1): string {
  const metadata = { name, namespace };
  return JSON.stringify({ apiVersion: `${GROUP}/v1`, kind, metadata, spec: { size } });
}

const NAMESPACES = ['other', 'x', 'y', 'z', 'a', 'b'].map((name) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
);

const all = (...texts: readonly string[]): string => texts.join('\n---\n');

/** The lines of a table, their cells separated by one space, without ages. */
function rows({ out }: CliResult): string[] {
  return out
    .split('\n')
    .flatMap((line) => (line === '' ? [] : line.replace(/ +\d+s\b/, '').replace(/ +/g, ' ')));
}

describe.each(['store', 'http'] as const)('on the command line, door %s', (door) => {
  let dataDir = '';
  beforeAll(async () => {
    cwd = temporaryDirectory();
    dataDir = path.join(cwd, 'data');
    await done('apply -f -', { stdin: all(...NAMESPACES) });
  });

  async function xsvc(line: string, { env, stdin }: Partial<CliWorld> = {}): Promise<CliResult> {
    const where = door === 'store' ? ['--data-dir', dataDir] : ['--server', daemon.url];
    return runCli([...line.split(' '), ...where], {
      cwd,
      env: { ...env },
      ...(stdin !== undefined && { stdin }),
    });
  }

  /** Runs a line that must succeed. */
  async function done(line: string, world?: Partial<CliWorld>): Promise<CliResult> {
    const result = await xsvc(line, world);
    expect([line, result.code, result.err]).toEqual([line, 0, result.err]);
    return result;
  }

  async function define(...texts: readonly string[]): Promise<void> {
    await done('apply -f -', { stdin: all(definition(), ...texts) });
  }

  it('apply takes a definition and objects of its kind in any order, and reads them back in their namespaces', async () => {
    await putFiles(cwd, { 'a.yaml': all(object('a'), object('a', 'other', 2)), 'b.yaml': definition() });
    const { out } = await done('apply -f a.yaml -f b.yaml');
    expect(out).toBe(
      `customresourcedefinitions/${plural}.${GROUP} created\n${plural}/a created\n${plural}/a created\n`,
    );
    expect((await done('apply -f a.yaml -f b.yaml')).out).toMatch(/^(.* unchanged\n){3}$/);
    expect(rows(await done(`get ${plural}`))).toEqual(['NAME AGE', 'a']);
    expect(rows(await done(`get ${plural} -A`))).toEqual(['NAMESPACE NAME AGE', 'default a', 'other a']);
    expect((await done(`get ${plural} -A -o name`)).out).toBe(`${plural}/a\n${plural}/a\n`);
    expect(JSON.parse((await done(`get ${plural}/a -n other -o json`)).out)).toMatchObject({
      metadata: { name: 'a', namespace: 'other' },
      spec: { size: 2 },
    });
    expect((await done(`list ${plural} -n none`)).err).toBe(`no ${plural} found\n`);
    expect((await xsvc(`get ${plural} a -n none`)).err).toMatch(new RegExp(`${plural}.*"a" not found`));
    expect((await done(`get ${plural},crd -A`)).out).toContain(`other       ${plural}/a`);
    expect((await done(`get crd -n other -o name`)).out).toContain(`${plural}.${GROUP}\n`);
    expect((await done('api-resources')).out).toMatch(
      new RegExp(`^${plural} +${GROUP}/v1 +true +${kind}$`, 'm'),
    );
    expect((await done(`explain ${plural}.spec.size`)).out).toContain('How large.');
  });

  it('apply --atomic and create take them too', async () => {
    const stdin = all(object('a', 'x'), definition());
    expect((await done('apply --atomic -f -', { stdin })).out).toMatch(/^customres.*\n.*\/a created\n$/);
    [plural, kind] = [`${plural}c`, `${kind}c`];
    const more = all(object('a', 'x'), object('gen', 'x').replace('"name"', '"generateName"'), definition());
    const { out } = await done('create -f -', { stdin: more });
    expect(out).toMatch(
      new RegExp(`^customres.* created\n${plural}/a created\n${plural}/gen\\w+ created\n$`),
    );
    expect(rows(await done(`get ${plural} -n x --no-headers`))).toHaveLength(2);
  });

  it('-n names the namespace of files, which must not state another one', async () => {
    await define();
    await done('apply -n a -f -', { stdin: object('one') });
    await done('apply -n a -f -', { stdin: object('two', 'a') });
    expect((await done(`get ${plural} -n a -o name`)).out).toBe(`${plural}/one\n${plural}/two\n`);
    const refused = await xsvc('apply -n b -f -', { stdin: object('one', 'a') });
    expect([refused.code, refused.err]).toEqual([
      5,
      expect.stringMatching(/metadata.namespace is "a", but -n names "b"/),
    ]);
    // As kubectl does it, -n has no meaning for a cluster-scoped kind.
    expect((await done(`get crd ${plural}.${GROUP} -n b -o name`)).out).toContain(plural);
  });

  it.each([
    ['get crd -n a -A', /-n and -A exclude each other/],
    ['get crd -n Ä', /"Ä" cannot name a namespace/],
    ['get crd -n a/b', /"a\/b" cannot name a namespace/],
    [`get crd -n ${'x'.repeat(64)}`, /cannot name a namespace/],
    ['get crd x -A', /-A is for lists/],
    ['delete crd x -A', /-A is for lists/],
  ])('%s is a wrong command line', async (line, message) => {
    const { code, err } = await xsvc(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it('a namespace in a file that is none is refused at its line', async () => {
    await define();
    for (const namespace of ['Ä', 'a/b', '..', 7])
      expect(
        (
          await xsvc('apply -f -', {
            stdin: object('a').replace('"a"', `"a","namespace":${JSON.stringify(namespace)}`),
          })
        ).err,
      ).toMatch(/^error: <stdin>:1: metadata.namespace cannot name a namespace\n/);
    const twice = await xsvc('apply -f -', { stdin: all(object('a'), object('a', 'default')) });
    expect(twice.err).toMatch(new RegExp(`<stdin>:3: ${plural}/a is also at <stdin>:1`));
    expect((await done(`get ${plural} -A`)).out).toBe('');
  });

  it('nothing is written next to an unknown kind, a definition that is refused, or both', async () => {
    const unknown = object('a').replace(kind, 'Nothing');
    const cases: readonly (readonly [stdin: string, err: RegExp])[] = [
      [all(definition(), object('a'), unknown), /no model Nothing of [^]*nothing was written/],
      [all(object('a'), definition({ type: 'none' })), /type must be one of [^]*nothing was written/],
      [
        all(unknown, definition({ type: 'none' }), object('a')),
        /no model Nothing of [^]*type must be one of [^]*nothing was written/,
      ],
      [
        all(
          object('a'),
          '{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": []}',
        ),
        /no model Tab/,
      ],
    ];
    for (const [stdin, err] of cases)
      for (const flags of ['', ' --atomic', ' --dry-run']) {
        const result = await xsvc(`apply -f -${flags}`, { stdin });
        expect([result.out, result.code > 0, result.err]).toEqual(['', true, expect.stringMatching(err)]);
        expect((await xsvc(`get ${plural}`)).code).toBe(3);
      }
  });

  it('definitions that are together larger than the body of another request are written', async () => {
    const large = Array.from({ length: 4 }, (_, i) => {
      [plural, kind] = [`big${count}n${i}s`, `Big${count}N${i}`];
      return definition().replace('How large.', 'x'.repeat(200_000));
    });
    const stdin = all(...large, object('a'));
    expect((await done('apply -f -', { stdin })).out).toMatch(
      /^(customres.* created\n){4}big\w+\/a created\n$/,
    );
    const { code } = await xsvc('apply --atomic -f -', { stdin: stdin.replaceAll('xxx', 'yyy') });
    expect(code).toBe(0);
  });

  it('a refused object leaves its definition, and apply says so', async () => {
    const stdin = all(object('a', undefined, 'large'), object('b'), definition());
    const { code, err } = await xsvc('apply --atomic -f -', { stdin });
    expect([code, err]).toEqual([5, expect.stringMatching(/spec.size .*\n.*nothing else was written/)]);
    expect((await done(`get ${plural}`)).out).toBe('');
  });

  it('a dry run and diff say what they cannot check', async () => {
    const stdin = all(object('a'), definition());
    const unchecked = `warning: ${plural}/a: not checked: that needs the definition of ${kind}, which is not written yet\n`;
    const dry = await done('apply --dry-run -f -', { stdin });
    expect([dry.out, dry.err]).toEqual([
      `customresourcedefinitions/${plural}.${GROUP} created (dry run)\n`,
      unchecked,
    ]);
    expect((await done('create --dry-run -f -', { stdin })).err).toBe(unchecked);
    const diff = await xsvc('diff -f -', { stdin });
    expect([diff.code, diff.err]).toEqual([10, unchecked]);
    const imported = await done('import --dry-run -f -', { stdin: stdin.replace('---\n', '') });
    expect(imported.err).toContain('1 object not checked');
    expect((await xsvc(`get ${plural}`)).code).toBe(3);
    // With the definition as it is, the object can be checked; with a changed one it cannot.
    await define();
    expect((await xsvc('diff -f -', { stdin })).out).toContain('name: a');
    const changed = all(object('a', undefined, 'large'), definition({ type: 'string' }));
    expect((await done('apply --dry-run -f -', { stdin: changed })).err).toBe(unchecked);
  });

  it('commands on one object work in its namespace', async () => {
    await define(object('a', 'x', 1), object('a', 'y', 1));
    await done(`patch ${plural} a -n x -p {"spec":{"size":2}}`);
    await done(`label ${plural}/a -n x team=red`);
    await done(`annotate ${plural} --all -A note=both`);
    await putFiles(cwd, { 'editor.sh': 'sed -i "s/size: 2/size: 3/" "$1"\n' });
    await done(`edit ${plural} a -n x`, { env: { EDITOR: `sh ${path.join(cwd, 'editor.sh')}` } });
    expect((await done(`describe ${plural} a -n x`)).out).toMatch(
      /^Name: +a\nNamespace: +x\n[^]*team=red[^]*size: 3/,
    );
    expect(JSON.parse((await done(`get ${plural} a -n y -o json`)).out)).toMatchObject({ spec: { size: 1 } });
    expect(rows(await done(`history ${plural} a -n x --no-headers`))).toHaveLength(5);
    expect(rows(await done(`history ${plural} -n y --no-headers --limit 1`))).toHaveLength(1);
    expect(rows(await done(`history ${plural} -A`))[0]).toBe('REVISION AGE USER VERB NAMESPACE NAME CHANGED');
    expect((await done(`undo ${plural} a -n x`)).out).toMatch(/undone to revision/);
    expect(JSON.parse((await done(`get ${plural} a -n x -o json`)).out)).toMatchObject({ spec: { size: 2 } });
    const met = await done(`wait ${plural} --all -A --for=jsonpath={.spec.size}`);
    expect(met.out).toBe(`${plural}/a condition met\n${plural}/a condition met\n`);
    expect((await xsvc(`wait ${plural} a -n z --for=create --timeout 0`)).code).toBe(1);
  });

  it('a deleted object comes again in its namespace', async () => {
    await define(object('a', 'x', 1), object('b', 'y', 2));
    await done(`delete ${plural} a -n x`);
    expect((await done(`undo ${plural} a -n x`)).out).toContain('created again');
    await done(`delete ${plural} --all -A`);
    expect((await done(`get ${plural} -A`)).out).toBe('');
    const since = await done(`undo ${plural} --since 1h --user nobody -n y`);
    expect(since.err).toContain('nothing to undo');
    await done(`undo ${plural} b -n y`);
    expect(rows(await done(`get ${plural} -A --no-headers`))).toEqual(['y b']);
    expect((await done(`undo ${plural} --since 1h -n x --dry-run`)).err).toContain('nothing to undo');
    expect(rows(await done(`undo ${plural} --since 1h -A --dry-run`))).toEqual([
      'NAMESPACE VERB OBJECT',
      `y delete ${plural}/b`,
      'undone: 1 deleted (dry run)',
    ]);
  });

  it('delete -f removes objects before their definition', async () => {
    await putFiles(cwd, { 'all.yaml': all(definition(), object('a', 'x'), object('b')) });
    await done('apply -f all.yaml');
    const { out } = await done('delete -f all.yaml');
    expect(out.split('\n').map((line) => line.replace(/ .*/, ''))).toEqual([
      `${plural}/a`,
      `${plural}/b`,
      `customresourcedefinitions/${plural}.${GROUP}`,
      '',
    ]);
  });

  it('apply --prune deletes only in the namespaces of the files, and no definition', async () => {
    const labelled = (text: string): string =>
      text.replace('"metadata":{', '"metadata":{"labels":{"set":"p"},');
    await done('apply -f -', {
      stdin: [definition(), object('a', 'x'), object('b', 'x'), object('c', 'y')]
        .map(labelled)
        .join('\n---\n'),
    });
    const { out } = await done('apply --prune -l set=p -f -', { stdin: labelled(object('a', 'x')) });
    expect(out).toBe(`${plural}/a unchanged\n${plural}/b pruned\n`);
    expect(rows(await done(`get ${plural} -A --no-headers`))).toEqual(['x a', 'y c']);
  });

  it('export and import keep namespaces, with definitions first, and definitions may come late', async () => {
    await define(object('a', 'x', 1), object('b', undefined, 2));
    const { out } = await done(`export ${plural} crd -A -o ndjson`);
    const lines = out.trim().split('\n');
    const own = lines.filter((line) => line.includes(kind));
    expect(own.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'CustomResourceDefinition',
      kind,
      kind,
    ]);
    expect((await done(`export ${plural}`)).out).not.toContain('namespace: x');
    const reversed = [...own].reverse().join('\n');
    await putFiles(cwd, { 'own.ndjson': reversed, 'all.ndjson': [...NAMESPACES, reversed].join('\n') });
    const copy = ['--data-dir', path.join(cwd, 'copy')];
    const imported = await runCli(['import', '-f', 'all.ndjson', ...copy], { cwd });
    expect([imported.code, imported.out, imported.err]).toEqual([0, '9 created\n', '']);
    expect(rows(await runCli(['get', plural, '-A', '--no-headers', ...copy], { cwd }))).toEqual([
      'default b',
      'x a',
    ]);
    const again = await done('import -f own.ndjson');
    expect(again.out).toBe('0 created, 3 unchanged\n');
  });

  it('import waits for namespaces and definitions that come later, and names what never comes', async () => {
    await define();
    const late = `late${count}-${door}`;
    const namespace = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: late } });
    const many = Array.from({ length: 30 }, (_, i) => object(`m${i}`, i % 2 === 0 ? late : 'x'));
    const stdin = [...many, object('lost', 'nowhere'), namespace].join('\n');
    const dry = await xsvc('import --dry-run -f -', { stdin });
    expect([dry.code, dry.out]).toEqual([3, '16 created, 1 failed (dry run)\n']);
    expect(dry.err).toContain('15 objects not checked');
    const result = await xsvc('import -f -', { stdin });
    expect([result.code, result.out]).toEqual([3, '31 created, 1 failed\n']);
    expect(result.err).toMatch(
      new RegExp(`^error: <stdin>:31: ${plural}/lost: namespaces "nowhere" not found`),
    );
    expect(rows(await done(`get ${plural} -n ${late} --no-headers`))).toHaveLength(15);
    expect(rows(await done(`get ${plural} -A --no-headers`))).toHaveLength(30);
    expect((await xsvc('get namespaces nowhere')).code).toBe(3);
  });

  it('the shell completes the namespaces of -n', async () => {
    const where = door === 'store' ? ['--data-dir', dataDir] : ['--server', daemon.url];
    const complete = async (...words: readonly string[]): Promise<string> =>
      (await runCli(['__complete', 'get', ...where, ...words], { cwd })).out;
    expect(await complete('-n', 'kube-p')).toBe('kube-public\t\n');
    expect(await complete('--namespace=othe')).toBe('--namespace=other\t\n');
    expect(await complete('-n', '')).toContain('default\t\n');
  });

  it('the environment and the current context have a namespace', async () => {
    await define(object('a', 'x'), object('b', 'y'));
    const env = { XSVC_NAMESPACE: 'x' };
    expect((await done(`get ${plural} -o name`, { env })).out).toBe(`${plural}/a\n`);
    expect((await done(`get ${plural} -o name -n y`, { env })).out).toBe(`${plural}/b\n`);
    expect((await xsvc(`get ${plural}`, { env: { XSVC_NAMESPACE: 'X' } })).code).toBe(2);
    const words = ['__complete', 'get', plural, '-n', 'y'];
    const where = door === 'store' ? ['--data-dir', dataDir] : ['--server', daemon.url];
    expect((await runCli([...words, ...where, ''], { cwd })).out).toBe('b\t\n');
  });
});

describe('check --schema', () => {
  it('compares objects with the schema of their definition', async () => {
    const xsvc = (line: string, stdin = ''): Promise<CliResult> => runCli(line.split(' '), { cwd, stdin });
    await xsvc('apply -f -', all(...NAMESPACES, definition(), object('a', 'x', 1), object('b', 'y', 2)));
    expect(await xsvc('check --schema')).toMatchObject({ code: 0, out: '' });
    await xsvc('apply -f -', definition({ type: 'string' }));
    expect(await xsvc('check --schema')).toMatchObject({
      code: 1,
      out:
        `${kind} "x/a": spec.size: must be a string, got 1\n` +
        `${kind} "y/b": spec.size: must be a string, got 2\n`,
      err: expect.stringContaining('2 objects are invalid\n') as string,
    });
    expect((await xsvc(`model drop ${kind} --yes`)).err).toContain(
      `is declared by the definition ${plural}.${GROUP}, so it is not removed`,
    );
  });
});

describe('the namespace of a context', () => {
  it('is that of commands on its server, and of a kubeconfig', async () => {
    await runCli(['apply', '-f', '-', '--server', daemon.url], {
      cwd,
      stdin: all(definition(), object('a', 'x')),
    });
    const env = { XSVC_CONFIG: path.join(cwd, 'config.yaml') };
    const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd, env });
    expect((await xsvc(`config set-context c --server ${daemon.url} -n X`)).code).toBe(2);
    await xsvc(`config set-context c --server ${daemon.url} -n x`);
    await xsvc('config use-context c');
    expect((await xsvc('config get-contexts --no-headers')).out).toMatch(/ x\n$/);
    expect((await xsvc(`get ${plural} -o name`)).out).toBe(`${plural}/a\n`);
    const { out, err } = await xsvc('kubeconfig --token secret');
    expect(err).toMatch(/^warning: kubectl sends tokens over TLS only.*--tls-cert/);
    expect((await xsvc('kubeconfig')).err).toBe('');
    expect(out).toMatch(new RegExp(`server: ${daemon.url}\n[^]*token: secret\n[^]*namespace: x\n`));
  });
});
