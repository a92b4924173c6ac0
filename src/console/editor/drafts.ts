import { useSyncExternalStore } from 'react';
import { session } from '../session/session.js';

/** A text that was loaded, and of which state of the object it is. */
export interface Loaded {
  /** Without what nobody edits. */
  readonly text: string;
  /** The entity tag to send with what is saved. */
  readonly tag: string;
  readonly revision: string;
}

/** What somebody typed and has not saved. */
export interface Draft {
  readonly base: Loaded;
  readonly text: string;
}

/** By the path of the object. They outlive that another page is opened, but not that the tab is closed. */
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** What somebody typed and has not saved; it may be saved after its page was left, and then it is a draft no more. */
export function useDraft(path: string): Draft | undefined {
  return useSyncExternalStore(subscribe, () => drafts.get(path));
}

export function findDraft(path: string): Draft | undefined {
  return drafts.get(path);
}

/** The object that a draft belongs to, without its version: an object is the same in each. */
interface Of {
  readonly group: string;
  readonly plural: string;
}

/** Whether something is typed and not saved: of an object; without a name, of any of the model, a new one too. */
export function useIsUnsaved(model: Of, name?: string): boolean {
  return useSyncExternalStore(subscribe, () =>
    [...drafts.keys()].some((path) => isDraftFor(path, model, name)),
  );
}

function isDraftFor(path: string, { group, plural }: Of, name: string | undefined): boolean {
  const [, root, ...rest] = path.split('/').map(decodeURIComponent);
  const [ofGroup, , ofPlural, ofName] = root === 'api' ? ['', ...rest] : rest;
  return ofGroup === group && ofPlural === plural && (name === undefined || name === ofName);
}

export function keepDraft(path: string, draft: Draft | undefined): void {
  if (draft === undefined) drafts.delete(path);
  else drafts.set(path, draft);
  for (const listener of listeners) listener();
}

/** Brings back what is typed now, after it was discarded; undefined where nothing is. */
export function findRestorer(path: string): (() => void) | undefined {
  const draft = drafts.get(path);
  const { number } = session.get();
  if (draft === undefined) return undefined;
  return () => {
    // Text typed since then is newer; and another user who signed in since must not see it.
    if (!drafts.has(path) && session.get().number === number) keepDraft(path, draft);
  };
}

// Nobody finds what the one before has typed.
let signedOut = session.get().number;
session.subscribe(() => {
  if (session.get().number !== signedOut) drafts.clear();
  signedOut = session.get().number;
});

// The browser asks whether to leave.
window.addEventListener('beforeunload', (event) => {
  if (drafts.size > 0) event.preventDefault();
});
