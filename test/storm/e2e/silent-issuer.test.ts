import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { CLIENT_ID, startIssuer, type TestIssuer } from '../../helpers/issuer.js';
import { goToIssuer, signIn, userAt, WHO } from '../../helpers/sign-in.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { Visitor } from '../../helpers/visitor.js';

const ADA = [201, 'oidc:ada'];

let issuer: TestIssuer;

afterEach(async () => {
  killDaemons();
  await issuer.close();
});
afterAll(removeDirectories);

const start = (): Promise<DaemonProcess> =>
  startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [],
    flags: ['--auth', 'token', '--oidc-issuer', issuer.url, '--oidc-client-id', CLIENT_ID],
  });

describe('an issuer that receives requests and does not answer', () => {
  it('holds up sign-ins for seconds, and nothing else', async () => {
    issuer = await startIssuer();
    issuer.account = { sub: 'ada' };
    const daemon = await start();
    const admin = /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(daemon.output.stdout)?.[0] ?? '';
    const statusFor = async (token: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await daemon.send('POST', WHO, { headers, body: {} })).status;
    };
    const visitor = new Visitor();
    expect((await signIn(visitor, daemon)).status).toBe(303);
    const known = await issuer.sign();
    expect(await statusFor(known)).toBe(201);
    const back = await goToIssuer(new Visitor(), daemon);
    const late = new Visitor();
    const lateBack = await goToIssuer(late, daemon);

    issuer.isSilent = true;
    const finishing = late.open(lateBack);
    const stranger = statusFor(await issuer.sign({ sub: 'bob' }, { kid: 'unknown' }));
    const ended = new AbortController();
    void Promise.allSettled([finishing, stranger]).then(() => ended.abort());
    while (!ended.signal.aborted) {
      const began = performance.now();
      expect([await statusFor(admin), await statusFor(known)]).toEqual([201, 201]);
      expect(await userAt(visitor, daemon)).toEqual(ADA);
      expect(performance.now() - began).toBeLessThan(3_000);
    }
    expect(await stranger).toBe(401);
    const { status, text } = await finishing;
    expect([status, text]).toEqual([401, expect.stringContaining('did not confirm')]);
    expect(daemon.output.stderr).toContain('a sign-in has failed: ');

    issuer.isSilent = false;
    expect((await new Visitor().open(back)).status).toBe(401);
    expect((await signIn(new Visitor(), daemon)).status).toBe(303);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
  });

  it('makes a service that has not reached it yet say so to all, with one request to it', async () => {
    issuer = await startIssuer();
    issuer.account = { sub: 'ada' };
    issuer.isSilent = true;
    const daemon = await start();
    const before = issuer.requests.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => new Visitor().open(`${daemon.url}/console/oidc/start`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(answers[0]?.text).toContain('the issuer cannot be reached; try again later');
    expect(issuer.requests.length - before).toBeLessThanOrEqual(2);
    issuer.isSilent = false;
    await expect
      .poll(async () => (await new Visitor().open(`${daemon.url}/console/oidc/start`)).status)
      .toBe(303);
  });
});
