import { useIsMutating, useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getWarnings } from '../../../api/http.js';
import type { StoredObject } from '../../../api/objects.js';
import { sayFailure } from '../../../editor/problems.js';
import { findDraft, keepDraft, useDraft, type Draft, type Loaded } from '../../../editor/drafts.js';
import { loadedFrom } from './load.js';
import { saveText, writeText } from './write-text.js';

export interface YamlEdit {
  /** What is in the editor. */
  readonly text: string;
  /** The text that it was made of. */
  readonly base: Loaded;
  readonly isDirty: boolean;
  /** Whether it is being stored, perhaps since before its page was left and opened again. */
  readonly isSaving: boolean;
  readonly type: (text: string) => void;
  /** Goes on from another text of the object; the editor has the given one. */
  readonly restart: (base: Loaded, text: string) => void;
  /** Over a state of the object; without one, the object is made. Resolves with warnings. */
  readonly save: UseMutationResult<readonly string[], unknown, Loaded | undefined>;
}

/** Somebody's work on the text of an object. As long as nothing is typed, it is what the object is now. */
export function useYamlEdit(path: string, current: Loaded): YamlEdit {
  const client = useQueryClient();
  const draft = useDraft(path);
  const mutationKey = ['save', path];
  const isSaving = useIsMutating({ mutationKey }) > 0;
  const keep = (next: Draft): void => {
    // Once it is saved, what it was before is another text: then whoever typed that again has typed something.
    keepDraft(path, next.text === next.base.text && !isSaving ? undefined : next);
  };
  // What was typed may be stored already, when only the answer was lost.
  const isStored = draft?.text === current.text;
  useEffect(() => {
    if (isStored && !isSaving) keepDraft(path, undefined);
  }, [path, isStored, isSaving]);
  const isDirty = draft !== undefined && !isStored;
  const base = isDirty ? draft.base : current;
  const text = isDirty ? draft.text : current.text;
  const save = useMutation({
    mutationKey,
    mutationFn: async (over: Loaded | undefined): Promise<readonly string[]> => {
      const response = await (over === undefined
        ? writeText(path.replace(/\/[^/]+$/, ''), text, { method: 'POST' })
        : saveText(path, text, over));
      const saved = await loadedFrom(response);
      client.setQueryData(['yaml', path, saved.revision], saved);
      // The editor goes on from here; everything else of the object is read again.
      client.setQueryData(['object', path], (before: StoredObject | undefined) =>
        before === undefined
          ? undefined
          : { ...before, metadata: { ...before.metadata, resourceVersion: saved.revision } },
      );
      // What was typed while it was being saved is not saved yet. Whoever signed out has left nothing.
      const typed = findDraft(path)?.text ?? text;
      keepDraft(path, typed === text ? undefined : { base: saved, text: typed });
      return getWarnings(response);
    },
    onError: (error) => {
      sayFailure(error);
      // The change of whoever was first is shown.
      return client.invalidateQueries({ queryKey: ['object', path] });
    },
    onSuccess: () => {
      for (const known of ['object', 'history']) void client.invalidateQueries({ queryKey: [known, path] });
    },
  });
  return {
    text,
    base,
    isDirty,
    isSaving,
    type: (typed) => keep({ base, text: typed }),
    restart: (next, given) => keep({ base: next, text: given }),
    save,
  };
}
