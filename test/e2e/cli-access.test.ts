import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { PERSON_PLUGIN } from '../helpers/person-daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const RULES = [
  { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] },
  { apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['get', 'list'] },
  { apiGroups: ['demo.example.com'], resources: ['persons'], resourceNames: ['ada'], verbs: ['delete'] },
  { apiGroups: ['demo.example.com'], resources: ['persons/status'], verbs: ['update'] },
  { apiGroups: ['api.platform.run'], resources: ['backups'], verbs: ['create'] },
];

let open: DaemonProcess;
let closed: DaemonProcess;
let openStore = '';
let closedStore = '';
let editor = '';
let stranger = '';
let admin = '';

const run = (...argv: readonly string[]): Promise<CliResult> => runCli(argv, { cwd: '/' });

async function tokenOf(...argv: readonly string[]): Promise<string> {
  const made = await run('token', 'create', ...argv, '--data-dir', closedStore, '--plugins', PERSON_PLUGIN);
  expect(made.code, made.err).toBe(0);
  return made.out.trim();
}

beforeAll(async () => {
  [openStore, closedStore] = [temporaryDirectory(), temporaryDirectory()];
  const plugins = [PERSON_PLUGIN];
  [open, closed] = await Promise.all([
    startDaemonProcess({ dataDir: openStore, plugins }),
    startDaemonProcess({ dataDir: closedStore, plugins, flags: ['--auth', 'token'] }),
  ]);
  admin = /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(closed.output.stdout)?.[0] ?? '';
  const role = { apiVersion: 'access.platform.run/v1alpha1', kind: 'Role', metadata: { name: 'editor' } };
  const stdin = JSON.stringify({ ...role, rules: RULES });
  const argv = ['apply', '-f', '-', '--data-dir', closedStore, '--plugins', PERSON_PLUGIN];
  expect((await runCli(argv, { cwd: '/', stdin })).code).toBe(0);
  editor = await tokenOf('--user', 'ci', '--role', 'editor');
  stranger = await tokenOf('--user', 'stranger');
});

afterAll(async () => {
  await Promise.all([open.stop(), closed.stop()]);
  killDaemons();
  removeDirectories();
});

describe('whoami', () => {
  it('prints the user of the token', async () => {
    const flags = ['--server', closed.url, '--token', editor];
    expect(await run('whoami', ...flags)).toEqual({ code: 0, out: 'ci\n', err: '' });
    const { out } = await run('whoami', '-o', 'json', ...flags);
    expect(JSON.parse(out)).toMatchObject({
      kind: 'SelfSubjectReview',
      status: { userInfo: { username: 'ci', groups: [] } },
    });
    expect((await run('whoami', '-o', 'yaml', ...flags)).out).toMatch(/^ {4}username: ci$/m);
  });

  it('fails without a valid token where one is asked for', async () => {
    const none = await run('whoami', '--server', closed.url);
    expect(none).toMatchObject({ code: 1, out: '' });
    expect(none.err).toMatch(/^error: the request has no credentials/);
    const wrong = await run('whoami', '--server', closed.url, '--token', 'xsvc_wrong');
    expect(wrong).toMatchObject({ code: 1, out: '' });
  });

  it('says that a service asks for no token, and that it ignores a given one', async () => {
    expect(await run('whoami', '--server', open.url)).toEqual({
      code: 0,
      out: 'system:anonymous\n',
      err: 'the service asks for no token (--auth none): everybody may do everything\n',
    });
    const sent = await run('whoami', '--server', open.url, '--token', editor, '-o', 'json');
    expect(sent.code).toBe(0);
    expect(JSON.parse(sent.out)).toMatchObject({ status: { userInfo: { username: 'system:anonymous' } } });
    expect(sent.err).toMatch(/it ignores the given token$/m);
  });

  it('says that a store has no users', async () => {
    const { code, out, err } = await run('whoami', '--data-dir', openStore);
    expect([code, out]).toEqual([0, '']);
    expect(err).toBe(
      `no user: commands on the store in ${openStore} are limited only by the permissions of its files; use --server to ask a service\n`,
    );
    const json = await run('whoami', '--data-dir', openStore, '-o', 'json');
    expect(JSON.parse(json.out)).toMatchObject({ status: { userInfo: {} } });
  });

  it('fails for a server that does not answer, and for an unknown format', async () => {
    expect(await run('whoami', '--server', 'http://127.0.0.1:1')).toMatchObject({ code: 6, out: '' });
    expect(await run('whoami', '-o', 'table')).toMatchObject({ code: 2, out: '' });
    expect(await run('whoami', 'ada')).toMatchObject({ code: 2, out: '' });
  });
});

describe('auth can-i', () => {
  const ask = (line: string, token = editor): Promise<CliResult> =>
    run('auth', 'can-i', ...line.split(' '), '--server', closed.url, '--token', token);
  const YES = { code: 0, out: 'yes\n', err: '' };
  const NO = { code: 1, out: 'no\n', err: '' };

  it.each([
    'list persons',
    'get Person',
    'get pe ada',
    'list persons.demo.example.com',
    'delete persons ada',
    'delete person/ada',
    'update persons --subresource status',
  ])('prints yes and exits with 0: %s', async (line) => {
    expect(await ask(line)).toEqual(YES);
  });

  it.each([
    'create persons',
    'delete persons',
    'delete persons bert',
    'update persons ada',
    'get persons --subresource history',
    'list users',
    'get *',
    '* *',
  ])('prints no and exits with 1: %s', async (line) => {
    expect(await ask(line)).toEqual(NO);
  });

  it('allows an admin everything, and a user without roles nothing', async () => {
    expect(await ask('* *', admin)).toEqual(YES);
    expect(await ask('escalate roles', admin)).toEqual(YES);
    expect(await ask('list persons.demo.example.com', stranger)).toMatchObject({ code: 1, out: 'no\n' });
  });

  it('knows endpoints that are no models by their group', async () => {
    for (const endpoint of ['backups.api.platform.run', 'persons.uc.api.demo.example.com'])
      expect(await ask(`create ${endpoint}`, admin)).toEqual(YES);
    const unknown = await ask('list persons.demo.exmple.com', admin);
    expect(unknown).toMatchObject({ code: 3, out: '' });
    expect(unknown.err).toMatch(/^error: there is no resource named "persons\.demo\.exmple\.com"/);
  });

  it('warns that an endpoint may not exist when the user may not read the description', async () => {
    const err = (name: string): string =>
      `warning: whether ${name} exists is unknown, as the user may not read /v3/api-docs\n`;
    const backups = 'backups.api.platform.run';
    expect(await ask(`create ${backups}`)).toEqual({ ...YES, err: err(backups) });
    expect(await ask('list persons.demo.exmple.com')).toEqual({ ...NO, err: err('persons.demo.exmple.com') });
  });

  it('says that models cannot be read when a name has no group', async () => {
    const { code, out, err } = await ask('list persons', stranger);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^error: user "stranger" may not list models in group "api\.platform\.run"/);
  });

  it.each([
    ['read persons', 2, /Allowed choices are get, list, watch, create/],
    ['list', 2, /missing required argument 'resource'/],
    ['list prsons', 3, /^error: there is no resource named "prsons", did you mean "persons"\?/],
    ['list persons/', 2, /name one resource, such as persons, or one object/],
    ['list persons/ada bert', 2, /name one resource/],
    ['list persons ada bert', 2, /too many arguments/],
  ])('refuses %s', async (line, code, err) => {
    const answer = await ask(line);
    expect(answer).toMatchObject({ code, out: '' });
    expect(answer.err).toMatch(err);
  });

  it('fails without a valid token, and prints neither yes nor no', async () => {
    expect(await ask('list persons.demo.example.com', 'xsvc_wrong')).toMatchObject({ code: 1, out: '' });
  });

  it('prints yes for a service that asks for no token', async () => {
    expect(await run('auth', 'can-i', '*', '*', '--server', open.url)).toEqual(YES);
    expect(await run('auth', 'can-i', 'delete', 'pe', 'ada', '--server', open.url)).toEqual(YES);
    const none = await run('auth', 'can-i', 'delete', 'nothing', '--server', open.url);
    expect(none).toMatchObject({ code: 3, out: '' });
  });

  it('prints yes for a store, and says that it has no users', async () => {
    const onStore = await run('auth', 'can-i', 'delete', 'persons', '--data-dir', openStore);
    expect(onStore).toEqual({
      code: 0,
      out: 'yes\n',
      err: 'a store has no users: only the permissions of its files limit commands on it\n',
    });
    const unknown = await run('auth', 'can-i', 'delete', 'nothing', '--data-dir', openStore);
    expect(unknown).toMatchObject({ code: 3, out: '' });
    const missing = await run('auth', 'can-i', 'delete', 'persons', '--data-dir', temporaryDirectory());
    expect(missing).toMatchObject({ code: 6, out: '' });
  });
});
