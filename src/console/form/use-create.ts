import { useIsMutating, useMutation } from '@tanstack/react-query';
import { readJson, send } from '../api/http.js';
import { getPath, type ModelRef } from '../api/models.js';
import type { StoredObject } from '../api/objects.js';
import { sayFailure } from '../editor/problems.js';
import { useProblems } from '../editor/use-problems.js';
import { say } from '../parts/dialogs/toasts.js';
import { t } from '../texts.js';

interface CreationOptions {
  readonly content: string;
  readonly isForm: boolean;
  readonly onCreated: (name: string) => void;
}

/** Creates an object of a model from a text; unknown fields are refused. */
export function useCreate(model: ModelRef, { content, isForm, onCreated }: CreationOptions) {
  const mutationKey = ['create', getPath(model)];
  // It may have started before other pages were opened.
  const isSaving = useIsMutating({ mutationKey }) > 0;
  const { mutate, error } = useMutation({
    mutationKey,
    mutationFn: async (body: string) => {
      const headers = { 'Content-Type': 'application/yaml' };
      const url = `${getPath(model)}?fieldValidation=Strict`;
      return (await readJson(await send(url, { method: 'POST', body, headers }))) as StoredObject;
    },
    onError: sayFailure,
    onSuccess: ({ metadata }) => {
      say(t`Created.`);
      onCreated(metadata.name);
    },
  });
  const problems = useProblems({ content, error, isSaving, isForm });
  /** Creates an object from its text, unless its syntax is wrong. */
  const create = (text: string): void => {
    if (isSaving || !problems.isValid(text)) return;
    problems.setSent(text);
    mutate(text);
  };
  return { problems, error, isSaving, create };
}
