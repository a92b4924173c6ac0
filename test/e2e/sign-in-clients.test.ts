import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program.js';
import { fieldsOf, readAudit } from '../helpers/audit.js';
import { testIo } from '../cli/helpers.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { CLIENT_ID, startIssuer, type IssuerOptions, type TestIssuer } from '../helpers/issuer.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { CALLBACK, goToIssuer, signIn, userAt } from '../helpers/sign-in.js';
import { Visitor } from '../helpers/visitor.js';

const ADA = [201, 'oidc:ada'];

let issuer: TestIssuer;
let directory: string;

beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(async () => {
  killDaemons();
  await issuer.close();
});
afterAll(removeDirectories);

async function openIssuer(options?: IssuerOptions): Promise<void> {
  issuer = await startIssuer(options);
  issuer.account = { sub: 'ada', groups: ['staff'] };
}

const start = (...flags: readonly string[]): Promise<DaemonProcess> =>
  startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [],
    flags: ['--auth', 'token', '--oidc-issuer', issuer.url, '--oidc-client-id', CLIENT_ID, ...flags],
  });

it('two services on one host do not replace the sessions of each other, nor their sign-ins', async () => {
  await openIssuer();
  const [one, two] = [await start(), await start()];
  const visitor = new Visitor();
  const begun = (await visitor.open(`${one.url}/console/oidc/start`)).headers.get('location') ?? '';
  expect((await signIn(visitor, two)).status).toBe(303);
  const back = await visitor.follow(begun, (next) => next.startsWith(one.url + CALLBACK));
  expect((await visitor.open(back.url)).status).toBe(303);
  expect([await userAt(visitor, one), await userAt(visitor, two)]).toEqual([ADA, ADA]);
  const headers = { Origin: two.url };
  expect((await visitor.open(`${two.url}/console/oidc/signout`, { method: 'POST', headers })).status).toBe(
    204,
  );
  expect([await userAt(visitor, one), await userAt(visitor, two)]).toEqual([ADA, [401, undefined]]);
});

describe('a client with a secret', () => {
  const SECRET = 'a secret of 32 characters: + / %';
  const secretFlags = (secret: string): string[] => {
    const file = path.join(directory, 'secret');
    writeFileSync(file, `${secret}\n`);
    return ['--oidc-client-secret-file', file];
  };

  it('signs people in at the console', async () => {
    await openIssuer({ clientSecret: SECRET });
    const daemon = await start(...secretFlags(SECRET));
    const visitor = new Visitor();
    expect((await signIn(visitor, daemon)).status).toBe(303);
    expect(await userAt(visitor, daemon)).toEqual(ADA);
    expect(daemon.output.stderr + daemon.output.stdout).not.toContain(SECRET);
  });

  it('signs nobody in with a wrong secret, and the log has the reason', async () => {
    await openIssuer({ clientSecret: SECRET });
    const daemon = await start(...secretFlags('wrong'));
    const refused = await signIn(new Visitor(), daemon);
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('did not confirm')]);
    expect(daemon.output.stderr).toContain('a sign-in has failed: ');
    expect(daemon.output.stderr).toContain('invalid_client');
  });

  it.each([true, false])(
    'cannot be used by login, which says so; codes for devices: %s',
    async (hasDeviceFlow) => {
      await openIssuer({ clientSecret: SECRET, hasDeviceFlow });
      const daemon = await start(...secretFlags(SECRET));
      const io = testIo({ env: { HOME: directory }, cwd: '/' });
      const ended = run(['login', '--server', daemon.url], io);
      const address = (): string | undefined => /^open (\S+)$/m.exec(io.stderr.text)?.[1];
      if (!hasDeviceFlow) {
        await expect.poll(address).toBeDefined();
        await new Visitor().follow(address() ?? '');
      }
      expect(await ended).toBe(1);
      expect(io.stderr.text).toContain(
        `the issuer does not accept the client "${CLIENT_ID}" without a secret`,
      );
      expect(io.stderr.text).toContain('must be a public client');
    },
  );
});

describe('the audit log', () => {
  it('has a line for each sign-in, also for a refused one, without codes and states', async () => {
    await openIssuer();
    const file = path.join(directory, 'audit.log');
    const daemon = await start('--audit-log', file);
    const visitor = new Visitor();
    const back = await goToIssuer(visitor, daemon);
    expect((await visitor.open(back)).status).toBe(303);
    expect((await new Visitor().open(back)).status).toBe(401);
    issuer.account = undefined;
    expect((await signIn(new Visitor(), daemon)).status).toBe(401);
    const lines = readAudit(file).filter((line) => line.verb === 'signin' || line.path === CALLBACK);
    expect(fieldsOf(lines, 'user', 'groups', 'via', 'source', 'verb', 'path', 'code', 'reason')).toEqual([
      ['oidc:ada', ['oidc:staff'], 'http', '127.0.0.1', 'signin', undefined, 200, undefined],
      [undefined, undefined, 'http', '127.0.0.1', 'get', CALLBACK, 401, 'Unauthorized'],
      [undefined, undefined, 'http', '127.0.0.1', 'get', CALLBACK, 401, 'Unauthorized'],
    ]);
    const text = JSON.stringify(readAudit(file));
    for (const secret of ['code', 'state'])
      expect(text).not.toContain(new URL(back).searchParams.get(secret));
    const sessions = readAudit(file).filter(({ resource }) => resource === 'sessions');
    expect(fieldsOf(sessions, 'via', 'verb', 'code')).toEqual([['service', 'create', 201]]);
  });

  it('that is strict and full signs nobody in', async () => {
    await openIssuer();
    const daemon = await start('--audit-log', '/dev/full', '--audit-strict');
    const visitor = new Visitor();
    const refused = await signIn(visitor, daemon);
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('--audit-strict')]);
    expect((await userAt(visitor, daemon))[0]).toBe(401);
  });
});
