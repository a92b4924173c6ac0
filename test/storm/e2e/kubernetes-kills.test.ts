import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { startAdmissionReceiver } from '../../helpers/admission-webhook.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { loads, prepare, type Load, type Sender } from '../../helpers/kubernetes-load.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const KILLS = 20;
/** A slow machine has fewer kills. */
const DURATION_MS = 100_000;
const random = new Random(seedOfRun());

function signedIn(daemon: DaemonProcess, token: string): Sender {
  const sendSigned: Sender['send'] = (method, target, request = {}) =>
    daemon.send(method, target, {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });
  return { send: sendSigned, get: (target) => sendSigned('GET', target) };
}

/** Writes until the daemon is gone. */
async function run(load: Load, daemon: Sender): Promise<number> {
  for (let steps = 0; ; steps++)
    try {
      await load.step(daemon);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      return steps;
    }
}

it(`the kinds of Kubernetes lose nothing in some ${KILLS} kills, and nothing is half done (SEED=${random.seed})`, async () => {
  const dataDir = temporaryDirectory();
  const receiver = await startAdmissionReceiver();
  const start = (): Promise<DaemonProcess> =>
    startDaemonProcess({ dataDir, plugins: [], flags: ['--kubernetes', 'full', '--auth', 'token'] });
  const all = loads(random, receiver);
  const steps = all.map(() => 0);
  let daemon = await start();
  const token = /token of user "admin".*: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
  await prepare(signedIn(daemon, token));
  const until = performance.now() + DURATION_MS;
  for (let kill = 0; kill < KILLS && performance.now() < until; kill++) {
    const running = all.map((load) => run(load, signedIn(daemon, token)));
    await sleep(50 + random.below(1_500));
    daemon.signal('SIGKILL');
    for (const [i, count] of (await Promise.all(running)).entries()) steps[i] = (steps[i] ?? 0) + count;
    await daemon.exited;
    const check = await runProgram(['check', '--data-dir', dataDir], {
      wrapper: ['env', 'XSVC_KUBERNETES=full'],
    });
    expect(check, check.stdout + check.stderr).toMatchObject({ code: 0 });
    daemon = await start();
    for (const load of all) await load.verify(signedIn(daemon, token));
    expect(daemon.output.stderr).not.toContain('"level":50');
  }
  // Each of them has done something, or nothing was at risk.
  expect(Math.min(...steps)).toBeGreaterThan(0);
  expect(await daemon.stop()).toMatchObject({ code: 0 });
  await receiver.stop();
});
