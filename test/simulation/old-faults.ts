import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';
import { temporaryDirectory } from '../helpers/store.js';
import type { WorldOptions } from './world.js';

const SRC = new URL('../../src/', import.meta.url).pathname;

/** A fault that the source had, or could have: a text of it, and the one that it replaces. */
export interface OldFault {
  readonly name: string;
  /** The first seed that found it. */
  readonly seed: number;
  /** The problem that the simulation must find. */
  readonly problem: RegExp;
  readonly file?: string;
  readonly text?: string;
  readonly fault?: string;
  readonly options?: WorldOptions;
}

export const OLD_FAULTS: readonly OldFault[] = [
  {
    name: 'a watch that waits for a passed-over commit reads without a pause',
    seed: 58,
    problem: /reads without end/,
    file: 'watch/subscription.ts',
    text: 'this.#needsPause = !this.#isLive;',
    fault: 'this.#needsPause = false;',
  },
  {
    name: 'a commit is answered before it is durable',
    seed: 17,
    problem: /an answered write is lost/,
    options: { answersEarly: true },
  },
  {
    name: 'a watch joins during a step that does not read its model',
    seed: 16,
    problem: /a gap or a repetition|not done within/,
    file: 'watch/hub.ts',
    text: 'if (this.#stepModels?.has(modelId) === false) return false;',
    fault: '',
  },
  {
    name: 'a kept page ignores changes of its objects',
    seed: 56,
    problem: /a list differs/,
    file: 'list/page-window.ts',
    text: "return side !== 'within' && side === this.#side(after);",
    fault: 'return side === this.#side(after);',
  },
  {
    name: 'a kept page is sent again for an earlier state of the store',
    seed: 439,
    problem: /a list (has another total|differs)/,
    file: 'list/change-tracker.ts',
    text: 'revision > until || ',
    fault: '',
  },
];

let changed: string | undefined;

/** Loads the simulation with a copy of a source file that has the fault. */
export async function loadWith({ file, text, fault }: OldFault): Promise<typeof import('./run.js')> {
  vi.resetModules();
  if (changed !== undefined) vi.doUnmock(changed);
  changed = undefined;
  if (file !== undefined && text !== undefined && fault !== undefined) {
    const source = path.join(SRC, file);
    const original = readFileSync(source, 'utf8');
    if (!original.includes(text)) throw new Error(`${file} does not contain ${text}`);
    const copy = path.join(temporaryDirectory(), file);
    mkdirSync(path.dirname(copy), { recursive: true });
    const isRelative = /(?<= from ')\.[^']+(?=')/g;
    writeFileSync(
      copy,
      original.replace(text, fault).replace(isRelative, (name) => path.join(path.dirname(source), name)),
    );
    changed = source;
    vi.doMock(source, () => import(copy) as Promise<object>);
  }
  return import('./run.js');
}
