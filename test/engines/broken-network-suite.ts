import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { Engine } from '../../src/store/engine.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { type TcpProxy, useProxies } from '../helpers/tcp-proxy.js';
import { contents } from '../store/helpers.js';
import { increment, KEY, numberIn } from './engine-contract.js';
import { type OpenLog, useEngines } from './shared-log-suite.js';
import { expectExact, startStorm } from './storm.js';

export interface NetworkedServer {
  /** As messages call it. */
  readonly name: string;
  readonly port: () => number;
  /** Makes an empty store. @returns opens its log at a port, and waits so long for it */
  readonly newStore: () => (port: number, timeoutMs?: number) => OpenLog;
  /** True when these bytes of a client are an append. */
  readonly isAppend: (bytes: Buffer) => boolean;
}

/** Much longer than the time after which a silent connection counts as dead, which is 5 s at most. */
const SILENT_MS = 25_000;
/** Longer than anything that these tests do to a network. */
const PATIENT_MS = 180_000;

const PARTITIONS: readonly (readonly [string, Pick<TcpProxy, 'blackHole' | 'held'>])[] = [
  ['everything', { blackHole: true, held: undefined }],
  ['what is sent', { blackHole: false, held: 'sent' }],
  ['the answers', { blackHole: false, held: 'answers' }],
];

/** The effects of a network on the commits of two daemons, one of which is behind it. */
export function brokenNetworkSuite({ name, port, newStore, isAppend }: NetworkedServer): void {
  const { open } = useEngines();
  const proxyTo = useProxies();
  const seed = seedOfRun();

  describe(`commits to ${name} whose connection breaks`, () => {
    it(`are stored once or not at all, as the answer says, when sockets are cut around appends (seed ${seed})`, async () => {
      const random = new Random(seed);
      const proxy = await proxyTo(port());
      const at = newStore();
      const engines = [await open(at(proxy.port)), await open(at(port()))];
      let cuts = 0;
      proxy.onSent = (bytes) => {
        if (!isAppend(bytes) || !random.chance(0.4)) return 'pass';
        cuts += 1;
        return random.pick(['cut before', 'cut after']);
      };
      const running = startStorm(engines, 16);
      await expect.poll(() => cuts).toBeGreaterThan(20);
      await running.answers(50);
      const reported = await running.end();
      proxy.onSent = undefined;
      for (const engine of engines) await expectExact(engine, reported);
      expect(await contents(engines[0] as Engine)).toEqual(await contents(engines[1] as Engine));
    });

    it.each([
      ['what is sent', 'sent'],
      ['what is answered', 'answers'],
    ] as const)('are stored once or not at all, and told so, when %s comes late', async (_, way) => {
      const proxy = await proxyTo(port());
      const at = newStore();
      const engines = [await open(at(proxy.port, PATIENT_MS)), await open(at(port(), PATIENT_MS))];
      const running = startStorm(engines, 16);
      for (const ms of [500, SILENT_MS]) {
        await running.answers(50);
        proxy.held = way;
        await sleep(ms);
        proxy.held = undefined;
      }
      await running.answers(50);
      const reported = await running.end();
      expect({ refused: reported.refused.length, reason: reported.reason }).toEqual({
        refused: 0,
        reason: '',
      });
      // The other daemon goes on meanwhile, whatever the silent one had begun.
      expect(reported.longestGapMs).toBeLessThan(SILENT_MS / 2);
      for (const engine of engines) await expectExact(engine, reported);
      expect(await contents(engines[0] as Engine)).toEqual(await contents(engines[1] as Engine));
    });

    it.each(PARTITIONS)(
      'are refused when the network swallows %s, and go on when it is back',
      async (_, { blackHole, held }) => {
        const proxy = await proxyTo(port());
        const at = newStore();
        const [cut, other] = [await open(at(proxy.port, 5_000)), await open(at(port()))];
        await increment(cut);
        Object.assign(proxy, { blackHole, held });
        await expect(increment(cut)).rejects.toBeInstanceOf(ServiceError);
        await expect(Promise.resolve(cut.get(KEY))).rejects.toMatchObject({ code: 'ServiceUnavailable' });
        expect(cut.writeProblem()).toContain(`cannot reach ${name}`);
        const before = numberIn(await other.get(KEY));
        expect(await increment(other)).toBe(before + 1);
        Object.assign(proxy, { blackHole: false, held: undefined });
        // The bytes that a black hole swallowed are not sent again without a new connection.
        if (blackHole) proxy.cut();
        await expect.poll(() => increment(cut).catch(() => 0)).toBe(before + 2);
      },
    );
  });
}
