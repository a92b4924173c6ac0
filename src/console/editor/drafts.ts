import { useSyncExternalStore } from 'react';
import type { ModelRef } from '../api/models.js';
import { Store } from '../lib/store.js';
import { session } from '../session/session.js';

/** A loaded text, and its state of the object. */
export interface Loaded {
  /** The text without the members that users do not edit. */
  readonly text: string;
  readonly tag: string;
  readonly revision: string;
}

export interface Draft {
  readonly base: Loaded;
  readonly text: string;
}

export const NOTHING: Loaded = { text: '', tag: '', revision: '' };

/** By the path of the object. Drafts remain when another page is opened, but not when the tab is closed. */
const drafts = new Store<ReadonlyMap<string, Draft>>(new Map());

/** The unsaved input; a save may end after its page was left, and then the draft is removed. */
export function useDraft(path: string): Draft | undefined {
  return useSyncExternalStore(drafts.subscribe, () => drafts.get().get(path));
}

/** Functions that write typed text, which is not in a draft yet. */
const writers = new Set<() => void>();

/** @returns a function that writes for the last time, and removes it */
export function addWriter(write: () => void): () => void {
  writers.add(write);
  return () => {
    write();
    writers.delete(write);
  };
}

export function writeAll(): void {
  for (const write of writers) write();
}

// Before another page is rendered.
window.addEventListener('hashchange', writeAll, { capture: true });
window.addEventListener('pagehide', writeAll);

/** The unsaved input, with all that was typed until now. */
export function findDraft(path: string): Draft | undefined {
  writeAll();
  return drafts.get().get(path);
}

/** The model of a draft, without its version: all versions share it. */
type Of = Pick<ModelRef, 'group' | 'plural'>;

/** True when an object has unsaved input; without a name: any object of the model, including a new one. */
export function useIsUnsaved(model: Of, name?: string): boolean {
  return useSyncExternalStore(drafts.subscribe, () =>
    [...drafts.get().keys()].some((path) => isDraftFor(path, model, name)),
  );
}

function isDraftFor(path: string, { group, plural }: Of, name: string | undefined): boolean {
  const [, root, ...rest] = path.split('/').map(decodeURIComponent);
  const [ofGroup, , ofPlural, ofName] = root === 'api' ? ['', ...rest] : rest;
  return ofGroup === group && ofPlural === plural && (name === undefined || name === ofName);
}

export function keepDraft(path: string, draft: Draft | undefined): void {
  const others = [...drafts.get()].filter(([one]) => one !== path);
  drafts.set(new Map(draft === undefined ? others : [...others, [path, draft]]));
}

/** Returns a function that restores the current input after it was discarded; undefined without input. */
export function findRestorer(path: string): (() => void) | undefined {
  const draft = findDraft(path);
  const { number } = session.get();
  if (draft === undefined) return undefined;
  return () => {
    // Later input is newer; and another user who has signed in since must not get it.
    if (!drafts.get().has(path) && session.get().number === number) keepDraft(path, draft);
  };
}

// A new user must not get the input of the previous one.
let signedOut = session.get().number;
session.subscribe(() => {
  if (session.get().number !== signedOut) drafts.set(new Map());
  signedOut = session.get().number;
});

// The browser asks before leaving.
window.addEventListener('beforeunload', (event) => {
  writeAll();
  if (drafts.get().size > 0) event.preventDefault();
});
