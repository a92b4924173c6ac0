import { isObject } from '../../../lib/json.js';
import { KeptText } from '../../../lib/storage.js';
import { Store, useStore } from '../../../lib/store.js';
import { session } from '../../../session/session.js';
import type { ModelDraft } from './model-draft.js';

type Drafts = Readonly<Record<string, ModelDraft>>;

/** Changes with the form of drafts: those of another version of the console are not read. */
const FORM = 1;
/** The tab keeps drafts, also when the page is loaded again. */
const kept = new KeptText('sessionStorage', 'xsvc-model-drafts');
const drafts = new Store(parseDrafts(kept.get() ?? ''));

function parseDrafts(text: string): Drafts {
  try {
    const value: unknown = JSON.parse(text);
    return isKept(value) ? value.drafts : {};
  } catch {
    return {};
  }
}

/** The form of the text is that of this file alone. */
function isKept(value: unknown): value is { readonly drafts: Drafts } {
  return isObject(value) && value.form === FORM;
}

function setDrafts(now: Drafts): void {
  drafts.set(now);
  kept.set(Object.keys(now).length === 0 ? undefined : JSON.stringify({ form: FORM, drafts: now }));
}

export function useModelDraft(key: string): ModelDraft | undefined {
  return useStore(drafts)[key];
}

export function findModelDraft(key: string): ModelDraft | undefined {
  return drafts.get()[key];
}

/** @param draft undefined when it is saved or discarded */
export function keepModelDraft(key: string, draft: ModelDraft | undefined): void {
  const { [key]: _, ...others } = drafts.get();
  setDrafts(draft === undefined ? others : { ...others, [key]: draft });
}

// A new user must not get the drafts of the previous one.
let signedOut = session.get().number;
session.subscribe(() => {
  if (session.get().number !== signedOut) setDrafts({});
  signedOut = session.get().number;
});
