import { isObject } from '../../../lib/json.js';
import { KeptText } from '../../../lib/storage.js';
import { Store, useStore } from '../../../lib/store.js';
import { session } from '../../../session/session.js';
import type { ModelDraft } from './model-draft.js';

const PREFIX = 'xsvc-model-draft:';
/** Changes with the form of drafts: one of another version of the console is not read. */
const FORM = 1;

interface Kept {
  readonly text: KeptText;
  readonly store: Store<ModelDraft | undefined>;
}

const drafts = new Map<string, Kept>();

function keptFor(key: string): Kept {
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const text = new KeptText('sessionStorage', `${PREFIX}${key}`);
  const made = { text, store: new Store(parseDraft(text.get())) };
  drafts.set(key, made);
  return made;
}

function parseDraft(text: string | undefined): ModelDraft | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isKept(value) ? value.draft : undefined;
  } catch {
    return undefined;
  }
}

/** The form of the text is that of this file alone. */
function isKept(value: unknown): value is { readonly draft: ModelDraft } {
  return isObject(value) && value.form === FORM;
}

/** The unsaved draft of a model. The tab keeps it, also when the page is loaded again. */
export function useModelDraft(key: string): ModelDraft | undefined {
  return useStore(keptFor(key).store);
}

export function findModelDraft(key: string): ModelDraft | undefined {
  return keptFor(key).store.get();
}

/** @param draft undefined when it is saved or discarded */
export function keepModelDraft(key: string, draft: ModelDraft | undefined): void {
  const { text, store } = keptFor(key);
  store.set(draft);
  text.set(draft === undefined ? undefined : JSON.stringify({ form: FORM, draft }));
}

// A new user must not get the drafts of the previous one.
let signedOut = session.get().number;
session.subscribe(() => {
  if (session.get().number === signedOut) return;
  signedOut = session.get().number;
  for (const key of keysInTab()) keepModelDraft(key, undefined);
});

function keysInTab(): readonly string[] {
  try {
    const stored = Object.keys(window.sessionStorage).filter((key) => key.startsWith(PREFIX));
    return [...new Set([...drafts.keys(), ...stored.map((key) => key.slice(PREFIX.length))])];
  } catch {
    return [...drafts.keys()];
  }
}
