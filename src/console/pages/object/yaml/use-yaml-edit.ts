import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { readWarnings } from '../../../../client/programs/warnings.js';
import type { StoredObject } from '../../../api/objects.js';
import { sayFailure } from '../../../editor/problems.js';
import { findDraft, keepDraft, useDraft, type Draft, type Loaded } from '../../../editor/drafts.js';
import { loadedFrom, saveText } from './requests.js';

export type YamlEdit = ReturnType<typeof useYamlEdit>;

interface Saving {
  readonly text: string;
  /** The state of the object that it replaces; undefined: the object is created. */
  readonly over: Loaded | undefined;
}

/** The editing of an object's text. Without input it is the current text of the object. */
export function useYamlEdit(path: string, current: Loaded) {
  const client = useQueryClient();
  const draft = useDraft(path);
  const mutationKey = ['save', path];
  // It may have started before its page was left and opened again.
  const isSaving = useIsMutating({ mutationKey }) > 0;
  const keep = (next: Draft): void => {
    // During a save the text before it is not the base any more: typing it again is a change.
    keepDraft(path, next.text === next.base.text && !isSaving ? undefined : next);
  };
  // The input may be stored already, when only the response was lost.
  const isStored = draft?.text === current.text;
  useEffect(() => {
    if (isStored && !isSaving) keepDraft(path, undefined);
  }, [path, isStored, isSaving]);
  const isDirty = draft !== undefined && !isStored;
  const base = isDirty ? draft.base : current;
  const text = isDirty ? draft.text : current.text;
  const save = useMutation({
    mutationKey,
    mutationFn: async ({ text: sent, over }: Saving): Promise<readonly string[]> => {
      const response = await saveText(path, sent, over);
      const saved = await loadedFrom(response);
      client.setQueryData(['yaml', path, saved.revision], saved);
      // The editor continues from here; other data of the object is read again.
      client.setQueryData(['object', path], (before: StoredObject | undefined) =>
        before === undefined
          ? undefined
          : { ...before, metadata: { ...before.metadata, resourceVersion: saved.revision } },
      );
      // Input during the save is not saved yet. A user who signed out leaves no draft.
      const typed = findDraft(path)?.text ?? sent;
      keepDraft(path, typed === sent ? undefined : { base: saved, text: typed });
      return readWarnings(response.headers.get('Warning'));
    },
    onError: (error) => {
      sayFailure(error);
      // The change of the faster user is displayed.
      return client.invalidateQueries({ queryKey: ['object', path] });
    },
    onSuccess: () => {
      for (const known of ['object', 'history']) void client.invalidateQueries({ queryKey: [known, path] });
    },
  });
  return {
    text,
    /** The text from which it was edited. */
    base,
    isDirty,
    isSaving,
    type: (typed: string) => keep({ base, text: typed }),
    /** Continues from another text of the object; the editor gets the given one. */
    restart: (next: Loaded, given: string) => keep({ base: next, text: given }),
    save,
  };
}
