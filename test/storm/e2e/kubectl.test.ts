import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  watchersOf,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, person } from '../../helpers/http.js';
import {
  findKubectl,
  killKubectls,
  kubectlFor,
  kubectlVersions,
  type Kubectl,
  type KubectlResult,
} from '../../helpers/kubectl.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const program = findKubectl();
const versions = kubectlVersions(program);
const title = `kubectl${program === undefined ? ' (left out: there is none on the PATH)' : ''}`;
const TEAM = 'demo.example.com/team';

let daemon: DaemonProcess;
let directory = '';
let kubectl: Kubectl;

async function clear(): Promise<void> {
  const names = (await daemon.get(PERSONS)).json().items.map(({ metadata }) => String(metadata.name));
  for (const name of names) await daemon.send('DELETE', `${PERSONS}/${name}`);
}

const create = (name: string, spec: object = {}, metadata: object = {}): Promise<unknown> =>
  daemon.send('POST', PERSONS, { body: person(name, spec, metadata) });

const stored = async (name: string) => (await daemon.get(`${PERSONS}/${name}`)).json();

const patch = (name: string, body: object): Promise<unknown> =>
  daemon.send('PATCH', `${PERSONS}/${name}`, {
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  });

/** Number of watches of kubectl, without those of the daemon's own controllers. */
async function watches(): Promise<number> {
  const { items } = (await daemon.get('/apis/controller.platform.run/v1alpha1/controllers')).json();
  return (await watchersOf(daemon)) - items.length;
}

/** A file for `-f -`. */
function manifest(name: string, spec: object = {}, metadata: object = {}): string {
  const head = { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person' };
  return JSON.stringify({ ...head, ...person(name, spec, metadata) });
}

/** Output of a command that must succeed, with ages replaced. */
async function printed(command: string, stdin?: string): Promise<string> {
  const result = await kubectl.run(command, stdin === undefined ? {} : { stdin });
  expect(result.err).toBe('');
  expect(result.code).toBe(0);
  return result.out.replace(/ \d+(m\d+)?s\b/g, ' AGE');
}

/** `kubectl edit` with an editor that replaces one text by another. */
function edit(from: string, to: string): Promise<KubectlResult> {
  const editor = path.join(directory, 'editor.sh');
  writeFileSync(editor, `#!/bin/sh\nsed -i 's/${from}/${to}/' "$1"\n`, { mode: 0o755 });
  return kubectl.run('edit pe ann', { env: { KUBE_EDITOR: editor } });
}

/** Error output of a command that must fail. */
async function complaint(command: string, stdin?: string): Promise<string> {
  const result = await kubectl.run(command, stdin === undefined ? {} : { stdin });
  expect(result.code).toBe(1);
  return result.err;
}

describe.skipIf(program === undefined)(title, () => {
  beforeAll(async () => {
    directory = temporaryDirectory();
    const plugins = [path.join(EXAMPLE_PLUGINS, 'person')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    kubectl = kubectlFor(program ?? '', daemon.url, path.join(directory, 'home'));
  });
  beforeEach(clear);
  afterAll(async () => {
    killKubectls();
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });

  describe('get', () => {
    beforeEach(async () => {
      await create('ann', { age: 30, email: 'ann@example.com' }, { labels: { [TEAM]: 'red' } });
      await create('bob', { age: 20 }, { labels: { [TEAM]: 'blue' } });
      await create('cid');
    });

    it('prints the columns of the model, more of them when wide', async () => {
      expect(await printed('get persons')).toBe(
        [
          'NAME   FULL NAME     YEARS   AGE',
          'ann    Name of ann   30      AGE',
          'bob    Name of bob   20      AGE',
          'cid    Name of cid           AGE',
          '',
        ].join('\n'),
      );
      const wide = await printed('get person ann -o wide');
      expect(wide.replace(/AGE +AGE/, 'AGE   AGE')).toBe(
        [
          'NAME   FULL NAME     YEARS   EMAIL             AGE   UPDATED',
          'ann    Name of ann   30      ann@example.com   AGE   AGE',
          '',
        ].join('\n'),
      );
    });

    it('shows labels, which come with the rows', async () => {
      const lines = (await printed(`get pe -L ${TEAM} --no-headers`)).trim().split('\n');
      expect(lines.map((line) => line.trim().split(/ +/).at(-1))).toEqual(['red', 'blue', 'AGE']);
      expect(await printed('get pe ann --show-labels --no-headers')).toMatch(`${TEAM}=red\n`);
    });

    it.each([
      [`get pe -o name -l ${TEAM}=red`, 'ann'],
      [`get pe -o name -l '${TEAM} notin (red)'`, 'bob cid'],
      [`get pe -o name -l '!${TEAM}'`, 'cid'],
      ['get pe -o name --field-selector spec.age=20', 'bob'],
      ['get pe -o name --field-selector metadata.name!=bob', 'ann cid'],
      ['get pe -o name --chunk-size=1', 'ann bob cid'],
      ['get pe/cid pe/ann -o name', 'cid ann'],
      ['get persons.v1alpha1.demo.example.com bob -o name', 'bob'],
      ['get pe -A -o name', 'ann bob cid'],
    ])('%s', async (command, names) => {
      const lines = names.split(' ').map((name) => `person.demo.example.com/${name}\n`);
      expect(await printed(command)).toBe(lines.join(''));
    });

    it('sorts by what the objects hold, and pages tables', async () => {
      const first = (text: string): string[] => text.split('\n').map((line) => line.split(' ')[0] ?? '');
      expect(first(await printed('get pe --sort-by=.spec.age --no-headers'))).toEqual([
        'cid',
        'bob',
        'ann',
        '',
      ]);
      expect(first(await printed('get pe --chunk-size=2 --no-headers'))).toEqual(['ann', 'bob', 'cid', '']);
      expect(await printed('get pe --server-print=false')).toMatch(/^NAME +AGE\nann +AGE\n/);
    });

    it('prints objects in other forms', async () => {
      expect(await printed("get pe ann -o jsonpath='{.spec.age} {.metadata.version}'")).toBe('30 0');
      expect(await printed('get pe -o custom-columns=N:.metadata.name,A:.spec.age --no-headers')).toMatch(
        /^ann +30\nbob +20\ncid +<none>\n$/,
      );
      expect(JSON.parse(await printed('get pe ann -o json'))).toEqual(await stored('ann'));
      expect(await printed('get pe ann -o yaml')).toContain('\nspec:\n  age: 30\n');
      expect(await printed('get --raw /readyz')).toBe('ok');
    });

    it('names an absent object, and a request that is not possible', async () => {
      expect(await complaint('get pe nobody')).toBe(
        'Error from server (NotFound): persons.demo.example.com "nobody" not found\n',
      );
      expect(await printed('get pe nobody --ignore-not-found')).toBe('');
      expect(await complaint('get pe --field-selector spec.nope=1')).toMatch(
        /Error from server \(BadRequest\): .*"spec\.nope" is not indexed; indexed fields: .*spec\.age/,
      );
      expect(await complaint('get nothings')).toMatch(`doesn't have a resource type "nothings"`);
      const none = await kubectl.run('get pe -l x.example.com/none');
      expect(none).toEqual({ code: 0, out: '', err: 'No resources found\n' });
    });
  });

  describe('discovery', () => {
    it('knows the models, their short names and their verbs', async () => {
      const verbs = 'create,delete,get,list,patch,update,watch';
      expect(await printed('api-resources --api-group=demo.example.com -o wide --no-headers')).toMatch(
        new RegExp(`^persons +pe +demo\\.example\\.com/v1alpha1 +false +Person +${verbs} *\n$`),
      );
      expect(await printed('api-versions')).toContain('demo.example.com/v1alpha1\n');
      const server = (JSON.parse(await printed('version -o json')) as { serverVersion: object })
        .serverVersion;
      expect(server).toMatchObject({ major: '1', gitVersion: expect.stringContaining('+xsvc.') as unknown });
    });

    it('explains a model and its parts', async () => {
      const whole = await printed('explain pe --recursive');
      expect(whole).toMatch(/^KIND: +Person$/m);
      expect(whole).toMatch(
        /^ {2}spec\t<PersonSpec> -required-\n {4}address\t<Address>\n {6}city\t<string>/m,
      );
      expect(await printed('explain pe.spec.gender')).toMatch(/ENUM:\s+MALE\s+FEMALE/i);
      expect(await complaint('explain pe.spec.nope')).toMatch('field "nope" does not exist');
    });
  });

  describe('create', () => {
    it('creates once', async () => {
      expect(await printed('create -f -', manifest('ann'))).toBe('person.demo.example.com/ann created\n');
      expect(await complaint('create -f -', manifest('ann'))).toMatch(
        /Error from server \(AlreadyExists\): .*persons\.demo\.example\.com "ann" already exists/,
      );
    });

    it('makes names', async () => {
      const file = manifest('x', {}, { name: undefined, generateName: 'made-' });
      expect(await printed('create -f -', file)).toMatch(
        /^person\.demo\.example\.com\/made-\w{5,} created\n$/,
      );
    });

    it('gets every violation, and unknown fields as asked', async () => {
      const bad = await complaint('create -f -', manifest('bad', { age: -3, nmae: 'x' }));
      expect(bad).toBe(
        'The Person "bad" is invalid: \n* spec.age: must be >= 0, got -3\n' +
          '* spec.nmae: unknown field, did you mean "name"?\n',
      );
      const unknown = manifest('ann', { aeg: 3 });
      expect(await kubectl.run('create -f - --validate=warn', { stdin: unknown })).toEqual({
        code: 0,
        out: 'person.demo.example.com/ann created\n',
        err: 'Warning: unknown field "spec.aeg", did you mean "age"?\n',
      });
      await clear();
      expect(await printed('create -f - --validate=ignore', unknown)).toMatch('created');
    });

    it('only tries, when it is a dry run', async () => {
      expect(await printed('create -f - --dry-run=server', manifest('ann'))).toMatch(
        'created (server dry run)',
      );
      expect((await daemon.get(`${PERSONS}/ann`)).status).toBe(404);
    });
  });

  describe('apply', () => {
    it('creates, changes only differences, and removes fields that the file no longer has', async () => {
      const file = manifest('ann', { age: 3, email: 'ann@example.com' });
      expect(await printed('apply -f -', file)).toMatch('ann created');
      await patch('ann', { spec: { gender: 'FEMALE' } });
      const { metadata } = await stored('ann');
      expect(await printed('apply -f -', file)).toMatch('ann unchanged');
      expect((await stored('ann')).metadata.resourceVersion).toBe(metadata.resourceVersion);
      expect(await printed('apply -f -', manifest('ann', { age: 4 }))).toMatch('ann configured');
      expect((await stored('ann')).spec).toEqual({ name: 'Name of ann', age: 4, gender: 'FEMALE' });
      expect(await printed('apply view-last-applied pe/ann')).toContain('age: 4');
    });

    it('takes back a list that get has printed', async () => {
      await create('ann', { age: 1 });
      await create('bob', { age: 2 });
      const list = await printed('get pe -o yaml');
      expect(list).toMatch(/^kind: List$/m);
      const { code, out } = await kubectl.run('apply -f -', { stdin: list });
      expect([code, out]).toEqual([
        0,
        'person.demo.example.com/ann configured\nperson.demo.example.com/bob configured\n',
      ]);
      await clear();
      const bare = list.replace(/^ +(resourceVersion|uid|version|generation|creationTimestamp): .*\n/gm, '');
      expect(await printed('create -f -', bare)).toMatch(/ann created\n.*bob created\n/);
    });

    it('prunes', async () => {
      const labels = { labels: { 'x.example.com/set': 'a' } };
      const items = `${manifest('ann', {}, labels)},${manifest('bob', {}, labels)}`;
      const both = `{"apiVersion":"v1","kind":"List","items":[${items}]}`;
      expect(await printed('apply -f -', both)).toMatch(/ann created\n.*bob created\n/);
      const pruned = await printed(
        'apply -f - --prune -l x.example.com/set=a --prune-allowlist=demo.example.com/v1alpha1/Person',
        manifest('ann', {}, labels),
      );
      expect(pruned).toMatch(/ann unchanged\n.*bob pruned\n/);
    });

    it('by the service, with the fields of each manager', async () => {
      const apply = 'apply --server-side -f -';
      expect(await printed(apply, manifest('ann', { age: 3 }))).toMatch('ann serverside-applied');
      const other = `${apply} --field-manager=other`;
      expect(await complaint(other, manifest('ann', { age: 4 }))).toMatch(
        /conflict with "kubectl": .spec.age/,
      );
      expect((await stored('ann')).spec.age).toBe(3);
      expect(await printed(`${other} --force-conflicts`, manifest('ann', { age: 4 }))).toMatch(
        'serverside-applied',
      );
      expect((await stored('ann')).spec.age).toBe(4);
    });

    it('by the service, after an apply by kubectl', async () => {
      await printed('apply -f -', manifest('ann', { age: 3, tags: ['a'] }));
      expect(await printed('apply --server-side -f -', manifest('ann', { age: 4 }))).toMatch(
        'serverside-applied',
      );
      expect((await stored('ann')).spec.age).toBe(4);
      const diff = await kubectl.run('diff --server-side -f -', { stdin: manifest('ann', { age: 5 }) });
      expect(diff.out).toMatch(/^- {2}age: 4\n\+ {2}age: 5$/m);
    });

    it('only tries, when it is a dry run; so does diff', async () => {
      await printed('apply -f -', manifest('ann', { age: 3 }));
      const file = manifest('ann', { age: 4 });
      expect(await printed('apply -f - --dry-run=server', file)).toMatch('configured (server dry run)');
      const diff = await kubectl.run('diff -f -', { stdin: file });
      expect([diff.code, diff.err]).toEqual([1, expect.stringMatching(/^(exit status 1\n)?$/)]);
      expect(diff.out).toMatch(/^- {2}age: 3\n\+ {2}age: 4$/m);
      expect((await stored('ann')).spec.age).toBe(3);
      expect((await kubectl.run('diff -f -', { stdin: manifest('ann', { age: 3 }) })).code).toBe(0);
    });
  });

  describe('change', () => {
    beforeEach(() => create('ann', { age: 30 }));

    it('patches by merging and by JSON Patch, and names the supported types', async () => {
      const merge = `patch pe ann --type merge -p '{"spec":{"age":5}}'`;
      expect(await printed(merge)).toMatch('ann patched\n');
      expect(await printed(merge)).toMatch('ann patched (no change)\n');
      const json = `patch pe ann --type json -p '[{"op":"replace","path":"/spec/age","value":6}]'`;
      expect(await printed(json)).toMatch('ann patched\n');
      expect((await stored('ann')).spec.age).toBe(6);
      const test = `patch pe ann --type json -p '[{"op":"test","path":"/spec/age","value":7}]'`;
      expect(await complaint(test)).toMatch(
        '/spec/age: the value differs from the one that the test expects',
      );
      expect(await complaint(`patch pe ann -p '{"spec":{"age":7}}'`)).toMatch('--type merge or --type json');
      expect(await complaint(`patch pe ann --type merge -p '{"spec":{"age":"x"}}'`)).toBe(
        'The Person "ann" is invalid: spec.age: must be an integer, got "x"\n',
      );
    });

    it('patches and reads the status apart', async () => {
      const command = `patch pe ann --subresource=status --type merge -p '{"status":{"phase":"Ready"},"spec":{"age":1}}'`;
      expect(await printed(command)).toMatch('ann patched\n');
      expect(await stored('ann')).toMatchObject({ spec: { age: 30 }, status: { phase: 'Ready' } });
      expect(await printed('get pe ann --subresource=status --no-headers')).toMatch(/^ann +Name of ann +30 /);
    });

    it('replaces, unless somebody was faster', async () => {
      expect(await printed('replace -f -', manifest('ann', { age: 31 }))).toMatch('ann replaced\n');
      const old = await printed('get pe ann -o yaml');
      await patch('ann', { spec: { age: 32 } });
      expect(await complaint('replace -f -', old)).toMatch(/\(Conflict\): .*metadata\.version/);
      expect(await complaint('replace -f -', manifest('nobody'))).toMatch('(NotFound)');
      const { uid } = (await stored('ann')).metadata;
      expect(await printed('replace --force -f -', manifest('ann'))).toMatch('ann replaced\n');
      expect((await stored('ann')).metadata.uid).not.toBe(uid);
    });

    it('labels and annotates', async () => {
      expect(await printed('label pe ann x.example.com/a=b')).toMatch('ann labeled\n');
      expect(await printed('label pe ann x.example.com/a=b')).toMatch('ann not labeled\n');
      expect(await complaint('label pe ann x.example.com/a=c --overwrite --resource-version=1')).toMatch(
        '(Conflict)',
      );
      expect(await printed('label pe --all x.example.com/a=c --overwrite')).toMatch('ann labeled\n');
      expect(await printed(`annotate pe ann x.example.com/note='two words'`)).toMatch('ann annotated\n');
      expect((await stored('ann')).metadata).toMatchObject({
        labels: { 'x.example.com/a': 'c' },
        annotations: { 'x.example.com/note': 'two words' },
      });
      expect(await printed('label pe ann x.example.com/a-')).toMatch('ann unlabeled\n');
      expect((await stored('ann')).metadata).not.toHaveProperty(['labels', 'x.example.com/a']);
    });

    it('edits', async () => {
      const changed = await edit('age: 30', 'age: 31');
      expect(changed).toMatchObject({ code: 0, out: 'person.demo.example.com/ann edited\n' });
      expect((await stored('ann')).spec.age).toBe(31);
      const unchanged = await edit('age: 30', 'age: 32');
      expect(unchanged).toMatchObject({
        code: 0,
        err: expect.stringContaining('no changes made') as unknown,
      });
    });

    it('describes', async () => {
      const text = await printed('describe pe ann');
      expect(text).toMatch(/^Name: +ann$/m);
      expect(text).toMatch(/^Spec:\n {2}Age: +30\n {2}Name: +Name of ann\n/m);
      expect(text).toMatch(/^Events: +<none>$/m);
    });
  });

  describe('delete', () => {
    beforeEach(async () => {
      await create('ann', {}, { labels: { [TEAM]: 'red' } });
      await create('bob', {}, { labels: { [TEAM]: 'blue' } });
      await create('cid', {}, { labels: { [TEAM]: 'red' } });
    });
    const left = async (): Promise<string> =>
      (await printed('get pe -o name')).replace(/person\.[\w.]+\//g, '');

    it('deletes by name, file and selector, and tries only in a dry run', async () => {
      expect(await printed('delete pe --all --dry-run=server')).toMatch('"cid" deleted (server dry run)');
      expect(await left()).toBe('ann\nbob\ncid\n');
      expect(await printed(`delete pe -l ${TEAM}=red`)).toMatch(/"ann" deleted.*\n.*"cid" deleted/);
      expect(await left()).toBe('bob\n');
      expect(await printed('delete -f - --cascade=foreground', manifest('bob'))).toMatch('"bob" deleted');
      expect(await complaint('delete pe bob')).toMatch('(NotFound)');
      expect(await printed('delete pe bob --ignore-not-found')).toBe('');
    });

    it('waits for finalizers', async () => {
      await patch('ann', { metadata: { finalizers: ['x.example.com/hold'] } });
      const waiting = kubectl.start('delete pe ann --timeout=120s');
      const also = kubectl.start('wait pe/ann --for=delete --timeout=120s');
      await expect.poll(async () => (await stored('ann')).metadata.deletionTimestamp).toBeDefined();
      await expect.poll(watches).toBe(2);
      await patch('ann', { metadata: { finalizers: null } });
      expect((await waiting.ended).code).toBe(0);
      expect(await also.ended).toMatchObject({ code: 0, out: expect.stringContaining('met') as unknown });
    });
  });

  describe('watching', () => {
    it('prints a row for each change, under one header', async () => {
      await create('ann', { age: 1 });
      const all = kubectl.start('get pe -w --output-watch-events');
      const one = kubectl.start('get pe ann -w');
      await expect.poll(() => all.out + one.out).toMatch(/ADDED +ann[^]*\nann /);
      await expect.poll(watches).toBe(2);
      await create('bob');
      await patch('ann', { spec: { age: 2 } });
      await daemon.send('DELETE', `${PERSONS}/bob`);
      await expect
        .poll(() =>
          all.out
            .replace(/ \d+s$/gm, '')
            .replace(/ +/g, ' ')
            .replace(/ $/gm, ''),
        )
        .toBe(
          'EVENT NAME FULL NAME YEARS AGE\nADDED ann Name of ann 1\nADDED bob Name of bob\n' +
            'MODIFIED ann Name of ann 2\nDELETED bob Name of bob\n',
        );
      await expect.poll(() => one.out).toMatch(/^NAME .*\nann .* 1 .*\nann .* 2 .*\n$/);
      all.interrupt();
      one.interrupt();
      await Promise.all([all.ended, one.ended]);
    });

    it('waits for a value of the object', async () => {
      await create('ann', { age: 1 });
      const waiting = kubectl.start(`wait pe/ann --for=jsonpath='{.status.phase}'=Ready --timeout=120s`);
      await expect.poll(watches).toBe(1);
      const status = { headers: { 'content-type': 'application/merge-patch+json' } };
      await daemon.send('PATCH', `${PERSONS}/ann/status`, {
        ...status,
        body: { status: { phase: 'Ready' } },
      });
      expect(await waiting.ended).toMatchObject({
        code: 0,
        out: 'person.demo.example.com/ann condition met\n',
      });
      expect(await complaint(`wait pe/ann --for=jsonpath='{.spec.age}'=9 --timeout=1s`)).toMatch('timed out');
    });
  });
});

describe.skipIf(versions.length === 0)('each version of kubectl', () => {
  beforeAll(async () => {
    directory = temporaryDirectory();
    const plugins = [path.join(EXAMPLE_PLUGINS, 'person')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
  });
  beforeEach(clear);
  afterAll(async () => {
    killKubectls();
    await daemon.stop();
    killDaemons();
    removeDirectories();
  });

  it.each(versions.map((file) => [path.basename(file), file] as const))('%s', async (name, file) => {
    kubectl = kubectlFor(file, daemon.url, path.join(directory, name));
    expect(await printed('apply -f -', manifest('ann', { age: 3 }))).toMatch('ann created');
    expect(await printed('apply -f -', manifest('ann', { age: 4 }))).toMatch('ann configured');
    expect(await printed('get pe')).toMatch(/^NAME +FULL NAME +YEARS +AGE\nann +Name of ann +4 +AGE\n$/);
    expect(await printed('api-resources')).toMatch(/^persons +pe /m);
    expect((await kubectl.run('diff -f -', { stdin: manifest('ann', { age: 5 }) })).code).toBe(1);
    const list = await printed('get pe -o yaml');
    expect(list).toMatch(/^kind: List$/m);
    expect(await printed('apply -f -', list)).toMatch(/ann (configured|unchanged)/);
    expect((await edit('age: 4', 'age: 5')).code).toBe(0);
    expect((await stored('ann')).spec.age).toBe(5);
    expect(await printed('explain pe.spec')).toMatch(/address/);
    expect(await printed('label pe ann x.example.com/a=b')).toMatch('labeled');
    expect(await printed(`wait pe/ann --for=jsonpath='{.spec.name}'='Name of ann' --timeout=60s`)).toMatch(
      'met',
    );
    expect(await printed('delete pe ann')).toMatch('"ann" deleted');
    expect(await complaint('get pe ann')).toMatch('(NotFound)');
  });
});
