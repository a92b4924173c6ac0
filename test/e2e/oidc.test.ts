import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { CLIENT_ID, startIssuer, type TestIssuer } from '../helpers/issuer.js';
import { PERSON_PLUGIN } from '../helpers/person-daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let issuer: TestIssuer;
let daemon: DaemonProcess;
let dataDir: string;

const flagsOf = (url: string): readonly string[] => [
  ...['--auth', 'token', '--oidc-issuer', url, '--oidc-client-id', CLIENT_ID],
];

beforeAll(async () => {
  issuer = await startIssuer();
  // The service starts without its issuer.
  issuer.isAway = true;
  dataDir = temporaryDirectory();
  daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], flags: flagsOf(issuer.url) });
});
afterAll(async () => {
  await daemon.stop();
  await issuer.close();
  killDaemons();
  removeDirectories();
});

describe('a service with an issuer', () => {
  it('starts without it, and says so once', async () => {
    await expect
      .poll(() => daemon.output.stderr)
      .toContain(`the keys of the issuer ${issuer.url} cannot be read`);
    issuer.isAway = false;
    const token = await issuer.idTokenOf({ sub: 'ada' });
    await expect
      .poll(() => daemon.send('GET', '/apis', bearer(token)).then(({ status }) => status))
      .toBe(403);
    expect(daemon.output.stderr.match(/cannot be read/g)).toHaveLength(1);
    expect(daemon.output.stdout + daemon.output.stderr).not.toContain(token);
  });

  it('knows the people of the issuer, their groups and their rights', async () => {
    const token = await issuer.idTokenOf({ sub: 'ada', groups: ['staff'] });
    const flags = ['--server', daemon.url, '--token', token];
    expect(await runCli(['whoami', ...flags], { cwd: '/' })).toEqual({ code: 0, out: 'oidc:ada\n', err: '' });
    const rules = [{ apiGroups: ['*'], resources: ['persons', 'models'], verbs: ['list'] }];
    const stdin = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'access.platform.run/v1alpha1', kind: 'Role', metadata: { name: 'lister' }, rules },
        {
          apiVersion: 'access.platform.run/v1alpha1',
          kind: 'RoleBinding',
          metadata: { name: 'staff-lists' },
          roleRef: { kind: 'Role', name: 'lister' },
          subjects: [{ kind: 'Group', name: 'oidc:staff' }],
        },
      ],
    });
    const applied = await runCli(['apply', '-f', '-', '--data-dir', dataDir], { cwd: '/', stdin });
    expect(applied.code, applied.err).toBe(0);
    expect(await runCli(['auth', 'can-i', 'list', 'persons', ...flags], { cwd: '/' })).toMatchObject({
      out: 'yes\n',
    });
    expect(await runCli(['get', 'persons', '-o', 'name', ...flags], { cwd: '/' })).toMatchObject({ code: 0 });
  });
});

it.each([
  [
    ['--oidc-issuer', 'http://login.example.com', '--oidc-client-id', 'a', '--auth', 'token'],
    '--oidc-issuer must be',
  ],
  [
    ['--oidc-issuer', 'https://login.example.com', '--auth', 'token'],
    '--oidc-issuer also needs --oidc-client-id',
  ],
  [
    ['--oidc-issuer', 'https://login.example.com', '--oidc-client-id', 'a'],
    '--oidc-issuer needs --auth token',
  ],
])('a service with a wrong issuer does not start: %j', async (flags, message) => {
  const ended = await runProgram(['serve', '--data-dir', temporaryDirectory(), '--port', '0', ...flags]);
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
});

function bearer(token: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { authorization: `Bearer ${token}` } };
}
