import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.js';
import { ListCache } from '../../src/http/answer/list/list-cache.js';
import { CacheBudget } from '../../src/lib/cache-budget.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import { Models } from '../../src/service/models.js';
import { Service } from '../../src/service/service.js';
import type { Engine } from '../../src/store/engine.js';
import type { Random } from '../helpers/seed.js';
import { Disk } from './disk.js';
import { SimulatedEngine } from './engine.js';
import { type Focus, FOCUS_CHOICES, type FocusName, FOCUSES } from './focus.js';
import { type Medium, OneDisk } from './medium.js';
import { SharedMedium } from './shared-medium.js';
import { startLeading } from './leading.js';
import { SCHEMES } from './models.js';
import { Scheduler, SimulatedProcess } from './scheduler.js';
import { Receiver, WEBHOOK_SCHEME } from './webhooks.js';

/** A process that serves requests. */
export interface Server {
  readonly process: SimulatedProcess;
  readonly service: Service;
  /** Pages that were answered. */
  readonly lists: ListCache;
}

export interface WorldOptions {
  readonly trace?: (line: string) => void;
  readonly answersEarly?: boolean;
  /** Default: by the seed. */
  readonly medium?: 'disk' | 'log';
  /** Default: by the seed. */
  readonly focus?: FocusName;
}

/** The process of a request has died: its outcome is unknown. */
export class ConnectionLost extends Error {}

/** True for an error after which the same request may succeed. */
export function mayRetry(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  return error instanceof ServiceError && ['ServiceUnavailable', 'OutcomeUnknown'].includes(error.code);
}

const NETWORK_MS = 0.2;
/** The most steps until a request succeeds when nothing fails any more. */
const ANSWER_STEPS_MAX = 5_000;
/** The longest time until an answer, whatever fails, unless the process itself was stopped. */
const ANSWER_MS_MAX = 10_000;

/** Several processes on one store, and their clients. */
export class World {
  readonly scheduler: Scheduler;
  readonly medium: Medium;
  /** The process of all clients and of the faults, which never fails. */
  readonly client: SimulatedProcess;
  /** By name; undefined while a process starts. */
  readonly servers = new Map<string, Server | undefined>();
  readonly #processes = new Map<string, SimulatedProcess>();
  readonly #requests = new Map<SimulatedProcess, Set<() => void>>();
  readonly focus: Focus;
  /** The number of last changes that the log keeps. */
  readonly changesMin: number;
  /** True when one of the processes leads. */
  readonly hasLeaders: boolean;
  /** Of a webhook with all changes; undefined without one. */
  readonly receiver: Receiver | undefined;
  /** A process has to exit, and to start again. */
  onExit: (name: string) => void = () => undefined;
  /** The most steps until a request succeeded after all faults. */
  slowest = 0;
  #healedAt: number | undefined;
  #started = 0;

  constructor(
    readonly random: Random,
    options: WorldOptions,
  ) {
    this.scheduler = new Scheduler(random, options.trace);
    this.changesMin = random.pick([3, 10, 40]);
    this.focus = FOCUSES[options.focus ?? random.pick(FOCUS_CHOICES)];
    this.hasLeaders = this.focus.hasLeaders ?? random.chance(0.5);
    const medium = options.medium ?? this.focus.medium ?? random.pick(['disk', 'disk', 'log']);
    this.medium =
      medium === 'log'
        ? new SharedMedium(random, this.scheduler, { ...this.focus, changesMin: this.changesMin })
        : new OneDisk(random, { ...options, ...this.focus, changesMin: this.changesMin });
    this.client = new SimulatedProcess('clients', this.scheduler);
    this.receiver = this.focus.hasWebhook === true ? new Receiver(this) : undefined;
  }

  get processes(): readonly SimulatedProcess[] {
    return [...this.#processes.values()];
  }

  /** Starts a process, which then serves requests. */
  async start(name: string): Promise<Server> {
    const process = this.#process(name);
    const onBroken = (): void => {
      if (this.servers.get(name)?.process !== process) return;
      this.client.later(NETWORK_MS, `${process.name} exits`, () => this.onExit(name));
    };
    const open = (): Promise<Engine> => this.medium.open({ process, machine: name, onBroken });
    const server = await this.#ask(process, 'starts', async () => {
      const { lifecycle, ...served } = await this.#serve(process, name, await open());
      const webhooks = this.receiver?.deliveriesOf(process, served.service);
      if (this.hasLeaders) await startLeading(lifecycle, served.service, this.changesMin, webhooks);
      return served;
    });
    if (this.#processes.get(name) === process) this.servers.set(name, server);
    return server;
  }

  /** Starts a process on a disk that has a state of the store. */
  async startOn(disk: Disk): Promise<Server & { readonly engine: SimulatedEngine }> {
    const process = this.#process('checker');
    const engine = new SimulatedEngine(disk, process, 0);
    const served = await this.#ask(process, 'starts', () => this.#serve(process, 'checker', engine));
    return { ...served, engine };
  }

  #process(name: string): SimulatedProcess {
    const process = new SimulatedProcess(`${name}${++this.#started}`, this.scheduler);
    this.#processes.set(name, process);
    this.servers.set(name, undefined);
    return process;
  }

  async #serve(
    process: SimulatedProcess,
    name: string,
    engine: Engine,
  ): Promise<Server & { readonly lifecycle: ModelLifecycle }> {
    const cascadeMax = this.random.pick([1_000, 1_000, 1]);
    const { liveness } = this.medium;
    const lifecycle = await ModelLifecycle.open(engine, {
      now: () => Date.now(),
      owner: process.name,
      isAlive: (owner) => this.#isAlive(owner, name),
      liveness,
      holdsModels: true,
    });
    const models = new Models(lifecycle);
    const service = new Service({
      store: lifecycle.store,
      models,
      now: () => new Date(Date.now()),
      cacheBudget: new CacheBudget(1_000_000),
      listCaches: { cacheThresholdEntries: 3, postingListThresholdEntries: 0, entriesPerValueMin: 1 },
      cascadeMax,
      watch: { bookmarkMs: 50, backlog: { changes: 30, bytes: 1_000_000 } },
    });
    for (const scheme of SCHEMES) await models.open(scheme);
    if (this.receiver !== undefined) await models.open(WEBHOOK_SCHEME);
    const lists = new ListCache(service.cacheBudget, (page) => service.renewPage(page));
    return { process, service, lists, lifecycle };
  }

  /** As far as a machine knows: the processes of other machines may be alive. */
  #isAlive(owner: string, machine: string): boolean {
    if (this.medium.liveness !== undefined && !owner.startsWith(machine)) return true;
    return this.processes.some(({ name, state }) => name === owner && state !== 'dead');
  }

  kill(name: string): void {
    const process = this.#processes.get(name);
    if (process === undefined || process.state === 'dead') return;
    process.state = 'dead';
    this.servers.delete(name);
    this.medium.forget(process);
    for (const lose of this.#requests.get(process) ?? []) lose();
    this.#requests.delete(process);
  }

  /** A process that serves; waits for one. */
  async anyServer(): Promise<Server> {
    for (;;) {
      const ready = [...this.servers.values()].filter((server) => server !== undefined);
      if (ready.length > 0) return this.random.pick(ready);
      await sleep(5);
    }
  }

  /** A request of a client, which must be answered in time. @throws ConnectionLost */
  async call<T>(server: Server, label: string, work: (server: Server) => Promise<T>): Promise<T> {
    const { scheduler } = this;
    const began = scheduler.nowMs;
    const check = (): void => {
      const hasWorked = server.process.stoppedUntilMs < began;
      if (hasWorked && scheduler.nowMs - began > ANSWER_MS_MAX)
        scheduler.failure ??= new Error(`a request waits too long: ${label}`);
    };
    return this.open(server, label, work).finally(check);
  }

  /** A request that the client ends, as a watch. @throws ConnectionLost */
  open<T>(server: Server, label: string, work: (server: Server) => Promise<T>): Promise<T> {
    return this.#ask(server.process, label, () => work(server));
  }

  #ask<T>(process: SimulatedProcess, label: string, work: () => Promise<T>): Promise<T> {
    const requests = this.#requests.get(process) ?? new Set();
    this.#requests.set(process, requests);
    return new Promise((resolve, reject) => {
      const settle = (call: () => void): void => {
        if (requests.delete(lose)) this.client.later(NETWORK_MS, `${label}: answered`, call);
      };
      const lose = (): void => settle(() => reject(new ConnectionLost(`${process.name} has died`)));
      const fail = (error: unknown): void =>
        settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      requests.add(lose);
      if (process.state === 'dead') lose();
      else
        process.later(NETWORK_MS * this.random.next(), label, () => {
          work().then((value) => settle(() => resolve(value)), fail);
        });
    });
  }

  /** Notes a success. @param asked the step at which a client began to want it */
  noteAnswered(asked: number): void {
    if (this.#healedAt === undefined) return;
    const steps = this.scheduler.steps - Math.max(asked, this.#healedAt);
    this.slowest = Math.max(this.slowest, steps);
    if (steps > ANSWER_STEPS_MAX)
      this.scheduler.failure ??= new Error(`a request is not answered within ${ANSWER_STEPS_MAX} steps`);
  }

  /** Sends an event of a stream to the client; events arrive in order. */
  send(receive: () => void): void {
    this.client.later(NETWORK_MS, 'receives an event', receive);
  }

  /** Ends all faults that last. */
  heal(): void {
    this.#healedAt = this.scheduler.steps;
    this.medium.heal();
    this.receiver?.heal();
    for (const process of this.processes) process.goOn();
  }
}
