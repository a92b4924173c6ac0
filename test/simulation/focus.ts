import type { BatchItem } from '../../src/service/verbs.js';
import type { FaultKind } from './faults.js';

type Range = readonly [least: number, most: number];

/** The clients and faults of a seed. With few kinds of them, states that need several of one kind are less rare. */
export interface Focus {
  /** Default: by the seed. */
  readonly medium?: 'disk' | 'log';
  /** Default: by the seed. */
  readonly hasLeaders?: boolean;
  /** Default: false. */
  readonly hasWebhook?: boolean;
  /** Each seed has some of them. Default: all kinds. */
  readonly faults?: readonly FaultKind[];
  /** One of them is the mean pause between two faults. */
  readonly faultPausesMs: readonly number[];
  readonly clients: Range;
  readonly watchers: Range;
  /** The longest pauses of a client between two requests, and of a watcher between two watches; one of them each. */
  readonly pausesMs: readonly number[];
  readonly restsMs: readonly number[];
  /** The kinds of requests; a kind that occurs more often is more frequent. */
  readonly requests: readonly ('write' | 'get' | 'list')[];
  /** The kinds of writes, likewise. */
  readonly verbs: readonly BatchItem['verb'][];
  /** The number of names of written objects. With few names, most owners exist, and come back. */
  readonly names: number;
  /** Lists are of objects of at least a level below this. */
  readonly levels: number;
  /** One of them is the share of reads that wait for the disk, of one process. */
  readonly waitingReads: readonly number[];
  /** One of them is the longest time of a message to the log. */
  readonly delaysMs: readonly number[];
}

const EVERYTHING: Focus = {
  faultPausesMs: [30, 100, 500],
  clients: [2, 4],
  watchers: [2, 5],
  pausesMs: [60],
  restsMs: [10],
  requests: ['write', 'write', 'write', 'write', 'get', 'list', 'list'],
  verbs: ['create', 'create', 'update', 'patch', 'patch', 'delete'],
  names: 8,
  levels: 4,
  waitingReads: [0, 0, 0.2, 0.6],
  delaysMs: [2],
};

export const FOCUSES = {
  everything: EVERYTHING,
  watches: {
    ...EVERYTHING,
    faults: ['kill', 'stop', 'upkeep', 'pass over'],
    watchers: [6, 10],
    pausesMs: [60, 300],
    restsMs: [10, 100, 500],
    requests: ['write'],
    waitingReads: [0.2, 0.6],
  },
  pages: {
    ...EVERYTHING,
    medium: 'disk',
    hasLeaders: false,
    faults: ['pass over', 'upkeep'],
    faultPausesMs: [5, 30],
    clients: [3, 5],
    watchers: [1, 2],
    requests: ['write', 'list', 'list', 'list'],
    levels: 1,
  },
  disk: {
    ...EVERYTHING,
    medium: 'disk',
    hasLeaders: true,
    faults: ['kill', 'power cut', 'stop the writer', 'pass over', 'full disk', 'slow disk'],
    faultPausesMs: [5, 30, 100],
    watchers: [1, 2],
  },
  log: {
    ...EVERYTHING,
    medium: 'log',
    hasLeaders: false,
    faults: ['partition', 'lost answers', 'kill'],
    watchers: [1, 2],
    requests: ['write', 'write', 'get'],
    delaysMs: [2, 20, 100],
  },
  leases: {
    ...EVERYTHING,
    medium: 'log',
    hasLeaders: true,
    faults: ['stop the leader', 'stop', 'partition'],
    watchers: [1, 2],
    pausesMs: [300, 2_000],
    requests: ['write'],
  },
  owners: {
    ...EVERYTHING,
    medium: 'disk',
    hasLeaders: true,
    faults: ['pass over'],
    faultPausesMs: [5, 30],
    watchers: [1, 2],
    pausesMs: [300, 1_000],
    requests: ['write'],
    verbs: ['create', 'create', 'delete'],
    names: 3,
    waitingReads: [0.6],
  },
  /** Without upkeep by hand, which does not know what a webhook still needs. */
  webhooks: {
    ...EVERYTHING,
    hasLeaders: true,
    hasWebhook: true,
    faults: [
      'kill',
      'power cut',
      'stop',
      'stop the leader',
      'pass over',
      'partition',
      'lost answers',
      'clock jump',
    ],
    watchers: [1, 2],
    pausesMs: [60, 300, 1_000],
    requests: ['write'],
    verbs: ['create', 'update', 'patch', 'patch', 'patch', 'delete'],
    names: 4,
  },
} as const satisfies Readonly<Record<string, Focus>>;

export type FocusName = keyof typeof FOCUSES;

const NAMES = (Object.keys(FOCUSES) as FocusName[]).filter((name) => name !== 'webhooks');

/** The choices of a seed: half of the seeds have everything. Webhooks have separate seeds. */
export const FOCUS_CHOICES: readonly FocusName[] = NAMES.flatMap((name) => ['everything', name]);
