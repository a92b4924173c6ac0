import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { FIXTURE_PLUGINS, startDaemonProcess, type DaemonProcess, type ProgramOptions } from './daemon.js';
import { temporaryDirectory } from './store.js';

export const MAIL = {
  group: 'mailer.example.com',
  version: 'v1',
  kind: 'Mail',
  plural: 'mails',
} as const;
export const MAILS = '/apis/mailer.example.com/v1/mails';
export const CONTROLLERS = '/apis/controller.platform.run/v1alpha1/controllers';

/** A mail that the plugin has sent. */
export interface Sent {
  readonly name: string;
  readonly pid: number;
  readonly token: number;
  /** Of the mail. */
  readonly generation: number;
}

/** A directory that daemons share, with a plugin that sends mails. */
export interface Post {
  readonly dataDir: string;
  start(...flags: readonly string[]): Promise<DaemonProcess>;
  /** Starts a daemon with a separate data directory, on a store that is elsewhere. */
  startApart(name: string, flags: readonly string[], options?: ProgramOptions): Promise<DaemonProcess>;
  sent(): readonly Sent[];
  /** Blocks mails until it is opened. */
  readonly gate: string;
  openGate(): void;
}

/** The duration of a mail. */
export interface MailSpec {
  /** Milliseconds. */
  readonly slow?: number;
  /** Of the post office: how long it takes is then up to the test. */
  readonly gate?: string;
}

export function postOffice(): Post {
  const directory = temporaryDirectory();
  const file = path.join(directory, 'sent');
  writeFileSync(file, '');
  const gate = path.join(directory, 'gate');
  const config = path.join(directory, 'xsvc.yaml');
  writeFileSync(config, `pluginConfig:\n  mailer:\n    file: ${file}\n`);
  const dataDir = path.join(directory, 'data');
  const startIn = (
    own: string,
    flags: readonly string[],
    options: ProgramOptions = {},
  ): Promise<DaemonProcess> =>
    startDaemonProcess({
      ...options,
      dataDir: own,
      plugins: [path.join(FIXTURE_PLUGINS, 'mailer')],
      flags: ['--config', config, ...flags],
    });
  return {
    dataDir,
    start: (...flags) => startIn(dataDir, flags),
    startApart: (name, flags, options) => startIn(path.join(directory, name), flags, options),
    sent: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(' '))
        .map(([name = '', ...numbers]) => {
          const [pid = 0, token = 0, generation = 0] = numbers.map(Number);
          return { name, pid, token, generation };
        }),
    gate,
    openGate: () => writeFileSync(gate, ''),
  };
}

export interface Leader {
  readonly holder: string;
  readonly token: number;
  readonly isSelf: boolean;
}

export async function leaderOf(daemon: DaemonProcess): Promise<Leader> {
  return (await daemon.get(CONTROLLERS)).json().leader as Leader;
}

export async function send(
  daemon: DaemonProcess,
  names: readonly string[],
  spec: MailSpec = {},
): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const body = {
        apiVersion: 'mailer.example.com/v1',
        kind: 'Mail',
        metadata: { name },
        spec,
      };
      expect((await daemon.send('POST', MAILS, { body })).status).toBe(201);
    }),
  );
}

/** The number of mails that are sent according to a daemon. */
export async function countSent(daemon: DaemonProcess): Promise<number> {
  const { items } = (await daemon.get(`${MAILS}?size=0`)).json() as unknown as {
    readonly items: readonly { readonly status?: { readonly sent?: boolean } }[];
  };
  return items.filter(({ status }) => status?.sent === true).length;
}

/** @returns milliseconds until a condition held; fails after a while */
export async function msUntil(
  what: string,
  holds: () => Promise<boolean>,
  atMostMs = 120_000,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > atMostMs) throw new Error(`it did not come to pass: ${what}`);
    await sleep(20);
  }
  return performance.now() - began;
}
