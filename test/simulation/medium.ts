import type { Liveness } from '../../src/cluster/lease.js';
import type { Engine } from '../../src/store/engine.js';
import type { Archive } from './archive.js';
import { Disk, type DiskOptions } from './disk.js';
import { SimulatedEngine } from './engine.js';
import type { Focus } from './focus.js';
import type { Pairs } from './pairs.js';
import type { SimulatedProcess } from './scheduler.js';
import type { Random } from '../helpers/seed.js';

/** A process that opens the store, on a machine that keeps its name. */
export interface Opening {
  readonly process: SimulatedProcess;
  readonly machine: string;
  /** The process must exit, and start again. */
  readonly onBroken: () => void;
}

/** What the processes store their data in. */
export interface Medium {
  readonly archive: Archive;
  readonly disks: readonly Disk[];
  /** All keys that are stored now. */
  readonly state: Pairs;
  /** Default: the processes of one machine see each other. */
  readonly liveness?: Liveness;
  open(opening: Opening): Promise<Engine>;
  /** A process has died. */
  forget(process: SimulatedProcess): void;
  /** All machines have lost their memory, after all processes. */
  restart(nowMs: number): void;
  /** True when readers may have missed an answered commit since a time. */
  wasBehindSince(ms: number): boolean;
  heal(): void;
}

/** One disk that all processes have open. */
export class OneDisk implements Medium {
  readonly disk: Disk;
  readonly disks: readonly Disk[];

  constructor(
    private readonly random: Random,
    private readonly options: DiskOptions & Pick<Focus, 'waitingReads'>,
  ) {
    this.disk = new Disk(random, options);
    this.disks = [this.disk];
  }

  get archive(): Archive {
    return this.disk.archive;
  }

  get state(): Pairs {
    return this.disk.durable;
  }

  open({ process }: Opening): Promise<Engine> {
    return Promise.resolve(
      new SimulatedEngine(this.disk, process, this.random.pick(this.options.waitingReads)),
    );
  }

  forget(process: SimulatedProcess): void {
    this.disk.forget(process);
  }

  restart(nowMs: number): void {
    this.disk.restart(nowMs);
  }

  wasBehindSince(ms: number): boolean {
    return this.disk.wasBehindSince(ms);
  }

  heal(): void {
    this.disk.heal();
  }
}
