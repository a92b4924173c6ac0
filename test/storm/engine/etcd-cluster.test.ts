import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseEtcdAddress } from '../../../src/engines/etcd/address.js';
import { openEtcdLog } from '../../../src/engines/etcd/log.js';
import { type EtcdCluster, type EtcdMember, HAS_ETCD, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { startProxy, type TcpProxy } from '../../helpers/tcp-proxy.js';
import { contents } from '../../store/helpers.js';
import { type OpenLog, useEngines } from '../../engines/shared-log-suite.js';
import { expectExact, startStorm } from '../../engines/storm.js';

useEtcd();
const { open } = useEngines();

/** Number of failures, of the leader and of another member by turns; set higher by hand. */
const ROUNDS = Number(process.env['FAILOVER_ROUNDS'] ?? 2);
/** Time for which a member is away. */
const AWAY_MS = 4_000;
/** Longer than a cluster needs to go on on any machine. */
const PATIENT_MS = 300_000;

interface Fault {
  readonly begin: (member: EtcdMember) => Promise<void> | void;
  readonly end: (member: EtcdMember) => void;
}

describe.skipIf(!HAS_ETCD)('a store in a cluster of three members of etcd', () => {
  let cluster: EtcdCluster;
  const clientProxies = new Map<EtcdMember, TcpProxy>();

  beforeAll(async () => {
    cluster = await startEtcd(3);
    for (const member of cluster.members) clientProxies.set(member, await startProxy(member.port));
    return async () => {
      for (const proxy of clientProxies.values()) await proxy.close();
    };
  });

  /** Each daemon names another member first. */
  function logAt(prefix: string, first: number): OpenLog {
    const ports = [...clientProxies.values()].map(({ port }) => port);
    const address = parseEtcdAddress(cluster.url(prefix, [...ports.slice(first), ...ports.slice(0, first)]));
    return () => openEtcdLog(address, { timeoutMs: PATIENT_MS, warn: () => undefined });
  }

  /** Of what a member sends and is sent, in both directions. */
  function cutOff(member: EtcdMember, isCut: boolean): void {
    for (const proxy of [clientProxies.get(member), member.peerProxy]) {
      if (proxy === undefined) continue;
      proxy.blackHole = isCut;
      if (!isCut) proxy.cut();
    }
  }

  const faults: Readonly<Record<string, Fault>> = {
    'is killed': { begin: (member) => member.kill(), end: (member) => cluster.start([member]) },
    'is stopped': { begin: (member) => member.signal('SIGSTOP'), end: (member) => member.signal('SIGCONT') },
    'is cut off': { begin: (member) => cutOff(member, true), end: (member) => cutOff(member, false) },
  };

  async function anyMember(isLeader: boolean, random: Random): Promise<EtcdMember> {
    const leader = await cluster.leader();
    return isLeader ? leader : random.pick(cluster.members.filter((member) => member !== leader));
  }

  /** True when a member is in contact with the others again. */
  async function knowsLeader(member: EtcdMember): Promise<boolean> {
    const status = await member.ask('maintenance/status', {}).catch(() => undefined);
    return ![undefined, '0'].includes(status?.['leader'] as string | undefined);
  }

  const seed = seedOfRun();

  it.each(Object.entries(faults))(
    `loses, repeats and miscounts nothing when a member %s in a storm of writes, the leader among them (seed ${seed})`,
    { timeout: ROUNDS * PATIENT_MS },
    async (name, { begin, end }) => {
      const random = new Random(seed);
      const prefix = name.replaceAll(' ', '-');
      const engines = [await open(logAt(prefix, 0)), await open(logAt(prefix, 1))];
      const running = startStorm(engines, 32);
      await running.answers(100);
      for (let round = 0; round < ROUNDS; round += 1) {
        const member = await anyMember(round % 2 === 0, random);
        await begin(member);
        try {
          await sleep(AWAY_MS);
          await running.answers(100);
        } finally {
          end(member);
        }
        await expect.poll(() => knowsLeader(member)).toBe(true);
      }
      const reported = await running.end();
      expect({ refused: reported.refused.length, reason: reported.reason }).toEqual({
        refused: 0,
        reason: '',
      });
      for (const engine of engines) await expectExact(engine, reported);
      const [a, b] = engines;
      if (a && b) expect(await contents(a)).toEqual(await contents(b));
      console.log(
        `${ROUNDS} rounds, a member ${name}: ${reported.answered.length} answered, ${reported.unsure.length} unsure, longest gap ${reported.longestGapMs.toFixed(0)} ms`,
      );
    },
  );
});
