import { byBeats, type Liveness } from '../../src/cluster/lease.js';
import { openWithReplica } from '../../src/engines/replicated/engine.js';
import type { ReplicaHome } from '../../src/engines/replicated/replica-directory.js';
import type { Engine } from '../../src/store/engine.js';
import type { Random } from '../helpers/seed.js';
import { Archive } from './archive.js';
import { Disk } from './disk.js';
import { SimulatedEngine } from './engine.js';
import { expect } from './expect.js';
import { LogServer } from './log-server.js';
import { SimulatedLog } from './log.js';
import type { Focus } from './focus.js';
import type { Medium, Opening } from './medium.js';
import { Network } from './network.js';
import { Pairs } from './pairs.js';
import { type Scheduler, SimulatedProcess } from './scheduler.js';

/** The replica of one machine. */
class Machine {
  disk: Disk;
  isComplete = false;

  constructor(
    private readonly random: Random,
    private readonly waitingReads: Focus['waitingReads'],
  ) {
    this.disk = new Disk(random);
  }

  home(process: SimulatedProcess): ReplicaHome {
    const open = (): SimulatedEngine =>
      new SimulatedEngine(this.disk, process, this.random.pick(this.waitingReads));
    return {
      open: () => Promise.resolve(this.isComplete ? open() : undefined),
      renew: () => {
        this.isComplete = false;
        this.disk = new Disk(this.random);
        return Promise.resolve(open());
      },
      complete: () => {
        this.isComplete = true;
        return Promise.resolve();
      },
    };
  }
}

/** A log that the processes of several machines share. Each machine has a replica. */
export class SharedMedium implements Medium {
  readonly archive: Archive;
  readonly liveness: Liveness;
  readonly network: Network;
  readonly server: LogServer;
  readonly #machines = new Map<string, Machine>();
  readonly #timeoutMs: number;

  constructor(
    private readonly random: Random,
    scheduler: Scheduler,
    private readonly options: Pick<Focus, 'waitingReads' | 'delaysMs'> & { readonly changesMin: number },
  ) {
    this.archive = new Archive(options.changesMin);
    this.liveness = byBeats(random.pick([400, 4_000]));
    this.#timeoutMs = random.pick([200, 2_000]);
    const process = new SimulatedProcess('log', scheduler);
    this.network = new Network(process, random.pick(options.delaysMs));
    this.server = new LogServer(process, {
      archive: this.archive,
      retainMs: random.pick([0, 1_000, 60_000]),
      partBytes: random.pick([1_000, 1_000_000]),
    });
  }

  get disks(): readonly Disk[] {
    return [...this.#machines.values()].map(({ disk }) => disk);
  }

  get state(): Pairs {
    return this.server.last.state;
  }

  open({ process, machine: name, onBroken }: Opening): Promise<Engine> {
    const machine = this.#machines.get(name) ?? new Machine(this.random, this.options.waitingReads);
    this.#machines.set(name, machine);
    const log = new SimulatedLog(this.server, this.network.link(process, name), this.#timeoutMs);
    return openWithReplica(log, machine.home(process), { onBroken });
  }

  forget(process: SimulatedProcess): void {
    for (const disk of this.disks) disk.forget(process);
  }

  restart(nowMs: number): void {
    for (const machine of this.#machines.values()) {
      machine.isComplete = false;
      machine.disk.restart(nowMs);
    }
  }

  wasBehindSince(): boolean {
    return false;
  }

  heal(): void {
    this.network.heal();
    for (const disk of this.disks) disk.heal();
  }

  /** Each replica has the state of its position in the log. */
  checkReplicas(): void {
    for (const [name, { disk, isComplete }] of this.#machines) {
      if (!isComplete) continue;
      const own = disk.durable.keys.find((key) => key.startsWith(REPLICA_KEY));
      const { seq } = JSON.parse(String(disk.durable.values.get(own ?? ''))) as { readonly seq: number };
      const replica = disk.durable.with(new Map([[own ?? '', undefined]]));
      expect(
        replica.equals(this.server.at(seq)?.state ?? new Pairs()),
        'a replica differs from its log',
        name,
      );
    }
  }
}

const REPLICA_KEY = '\0replica';
