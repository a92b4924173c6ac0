import { beforeEach, describe, expect, it } from 'vitest';
import { putFiles, runCli, withoutVolatile, type CliResult } from '../helpers/cli.js';
import { PERSON_REF } from '../helpers/http.js';
import { usePersonDaemon, type Door } from '../helpers/person-daemon.js';
import { temporaryDirectory } from '../helpers/store.js';
import { documents, manifest, person, TWINS_PLUGIN } from '../suites/cli-fixtures.js';

const { others, flagsOf } = usePersonDaemon({ twins: TWINS_PLUGIN });
const FARM = { group: 'farm.example.com', version: 'v1', kind: 'Pet', plural: 'pets' };
const HOME = { ...FARM, group: 'home.example.com' };
const TABLES = `NAME          FULL NAME   YEARS    AGE
persons/ann   ANN         <none>   AGE
persons/bob   BOB         <none>   AGE

NAME       NAME   AGE
pets/rex   Rex    AGE
`;

beforeEach(async () => {
  for (const ref of [FARM, HOME])
    for await (const { metadata } of others().listAll(ref)) await others().delete(ref, metadata.name);
  await others().create(PERSON_REF, person('ann', {}, { labels: { team: 'red' } }));
  await others().create(PERSON_REF, person('bob', {}, { labels: { team: 'blue' } }));
  await others().create(FARM, { metadata: { name: 'rex', labels: { team: 'red' } }, spec: { name: 'Rex' } });
});

describe.each<Door>(['store', 'http'])('get, door %s', (door) => {
  const get = async (line: string, stdin?: string, cwd = '/'): Promise<CliResult> => {
    const argv = [...line.split(' '), ...flagsOf(door)];
    return runCli(argv, { cwd, ...(stdin !== undefined && { stdin }) });
  };

  describe('of several resources', () => {
    it('prints one table after the other, with the resource before each name', async () => {
      const { code, out, err } = await get('get persons,pets.farm.example.com');
      expect([code, withoutVolatile(out), err]).toEqual([0, TABLES, '']);
      const one = await get('list person,PERSONS');
      expect(one.out).toMatch(/^NAME +FULL NAME/);
    });

    it('prints names that the command line takes, with the group where two share a plural', async () => {
      await others().create(HOME, { metadata: { name: 'mia' } });
      const { out } = await get('get pets.farm.example.com,pets.home.example.com,pe -o name');
      expect(out).toBe('pets.farm.example.com/rex\npets.home.example.com/mia\npersons/ann\npersons/bob\n');
      expect((await get(`get ${out.trim().split('\n').join(' ')} -o name`)).out).toBe(out);
    });

    it('prints one list as JSON and YAML, and gives it to templates', async () => {
      const { out } = await get('get persons,pets.farm.example.com -o json');
      expect(JSON.parse(out)).toMatchObject({
        apiVersion: 'v1',
        kind: 'List',
        items: [{ metadata: { name: 'ann' } }, { metadata: { name: 'bob' } }, { kind: 'Pet' }],
      });
      const yaml = await get('get persons,pets.farm.example.com -o yaml -l team=red');
      expect(yaml.out).toMatch(/^apiVersion: v1\nkind: List\n[^]*name: ann\n[^]*kind: Pet\n/);
      const names = await get('get persons,pets.farm.example.com -o jsonpath={.items[*].metadata.name}');
      expect(names.out).toBe('ann bob rex');
    });

    it('applies selectors and the order to each, and says which has no object', async () => {
      const red = await get(
        'get persons,pets.farm.example.com,roles -l team=red -o name --sort metadata.name,desc',
      );
      expect(red).toEqual({ code: 0, out: 'persons/ann\npets/rex\n', err: 'no roles found\n' });
      const bob = await get('get persons,pets.farm.example.com --field-selector name=bob -o name');
      expect(bob).toEqual({ code: 0, out: 'persons/bob\n', err: 'no pets found\n' });
    });

    it('prints nothing when a resource is unknown, or lacks a field', async () => {
      expect(await get('get persons,prsons,nope')).toEqual({
        code: 3,
        out: '',
        err: 'error: there is no resource named "prsons", did you mean "persons"?\nerror: there is no resource named "nope"\n',
      });
      const sorted = await get('get persons,pets.farm.example.com --sort spec.age');
      expect(sorted).toMatchObject({ code: 5, out: '' });
      expect(sorted.err).toMatch(/^error: pets\.farm\.example\.com: field "spec\.age" is not indexed/);
      expect(await get('get persons,pets')).toMatchObject({ code: 5, out: '' });
      expect(await get('get persons,nope --ignore-not-found')).toMatchObject({ code: 3, out: '' });
    });

    it.each([
      ['get persons,roles ann', /^error: names cannot be combined with several resources/],
      ['get persons,roles/ann', /^error: names cannot be combined with several resources/],
      ['get persons,', /^error: "persons,": a resource is missing beside a comma/],
      ['get persons,roles --page 2', /^error: --page needs one resource/],
      ['get persons,roles --limit 1', /^error: --limit needs one resource/],
      ['get persons,roles --facets metadata.name', /^error: --facets needs one resource/],
      ['get persons,roles --explain', /^error: --explain needs one resource/],
      ['get persons,roles -w', /^error: --watch needs one resource/],
      ['watch persons,roles', /^error: --watch needs one resource/],
      ['get persons,roles --at 1', /^error: --at needs one resource/],
    ])('refuses %s', async (line, err) => {
      const answer = await get(line);
      expect(answer).toMatchObject({ code: 2, out: '' });
      expect(answer.err).toMatch(err);
    });
  });

  describe('of files', () => {
    it('prints the objects as they are stored now', async () => {
      const cwd = temporaryDirectory();
      const pet = 'apiVersion: farm.example.com/v1\nkind: Pet\nmetadata: { name: rex }\n';
      await putFiles(cwd, {
        'd/a.yaml': documents(manifest('bob', 'name: Other'), pet),
        'd/e/b.yaml': manifest('ann'),
      });
      expect((await get('get -f d -o name', undefined, cwd)).out).toBe('persons/bob\npets/rex\n');
      const all = await get('get -R -f d', undefined, cwd);
      expect(all.out).toMatch(/^persons\/bob +BOB [^]*\n\nNAME +NAME +AGE\npets\/rex /m);
      const one = await get('get -f - -o json', manifest('bob', 'name: Other'));
      expect(JSON.parse(one.out)).toMatchObject({ kind: 'Person', spec: { name: 'BOB' } });
      const two = await get('get -f d -o json', undefined, cwd);
      expect(JSON.parse(two.out)).toMatchObject({
        kind: 'List',
        items: [{ kind: 'Person' }, { kind: 'Pet' }],
      });
    });

    it('fails for objects that do not exist, and for manifests that name none, and prints the others', async () => {
      const files = documents(manifest('ann'), manifest('zed'), manifest('x').replace('Person', 'Persn'));
      const answer = await get('get -f - -o name', files);
      expect(answer).toMatchObject({ code: 3, out: 'persons/ann\n' });
      expect(answer.err).toMatch(
        /^error: <stdin>:\d+: there is no model Persn [^]*^error: .*"zed" not found/m,
      );
      expect(
        await get('get -f - -o name --ignore-not-found', documents(manifest('zed'), manifest('ann'))),
      ).toEqual({ code: 0, out: 'persons/ann\n', err: '' });
      expect(
        await get('get -f - --ignore-not-found', manifest('x').replace('Person', 'Persn')),
      ).toMatchObject({
        code: 3,
        out: '',
      });
    });

    it.each([
      ['get -f a.yaml persons', 2, /^error: -f cannot be combined with resources/],
      ['get -f a.yaml -l a=b', 2, /^error: -f cannot be combined with resources, names, selectors/],
      ['get -f a.yaml -w', 2, /^error: -f cannot be combined with --watch/],
      ['get -f nowhere.yaml', 2, /^error: the file nowhere\.yaml does not exist/],
      ['get -f -', 5, /^error: the files contain no manifest/],
    ])('refuses %s', async (line, code, err) => {
      const answer = await get(line);
      expect(answer).toMatchObject({ code, out: '' });
      expect(answer.err).toMatch(err);
    });

    it('prints them in an earlier state with --at', async () => {
      const { metadata } = await others().get(PERSON_REF, 'ann');
      await others().patch(PERSON_REF, 'ann', { spec: { name: 'New' } }, 'merge');
      const answer = await get(`get -f - --at ${metadata.resourceVersion} -o json`, manifest('ann'));
      expect(JSON.parse(answer.out)).toMatchObject({ spec: { name: 'ANN' } });
    });
  });

  it('--ignore-not-found prints nothing for absent names, and ends with 0', async () => {
    for (const format of ['table', 'name', 'json', 'yaml']) {
      const answer = await get(`get person zed --ignore-not-found -o ${format}`);
      expect(answer).toEqual({ code: 0, out: '', err: '' });
    }
    expect(await get('get persons zed zoe -o json --ignore-not-found')).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    expect((await get('get persons zed ann -o name --ignore-not-found')).out).toBe('persons/ann\n');
    expect(await get('get roles -l none --ignore-not-found')).toEqual({ code: 0, out: '', err: '' });
    expect(await get('get person zed --at 1 --ignore-not-found')).toEqual({ code: 0, out: '', err: '' });
  });

  it('--ignore-not-found still fails for an unknown resource, and cannot watch', async () => {
    expect(await get('get prsons ann --ignore-not-found')).toMatchObject({ code: 3, out: '' });
    const watched = await get('get person zed -w --ignore-not-found');
    expect(watched).toMatchObject({
      code: 2,
      err: 'error: --ignore-not-found cannot be combined with --watch\n',
    });
  });
});

it('--ignore-not-found does not hide a missing store', async () => {
  const argv = ['get', 'person', 'ann', '--ignore-not-found', '--data-dir', temporaryDirectory()];
  expect(await runCli(argv, { cwd: '/' })).toMatchObject({ code: 6, out: '' });
});
