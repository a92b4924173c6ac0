import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, formatMessage, isConflict } from '../../api/errors.js';
import { createDefinition, replaceDefinition } from '../../api/platform/definitions.js';
import type { JsonObject } from '../../lib/json.js';
import { say } from '../../parts/dialogs/toasts.js';
import { getList } from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { problemsOf, type DraftProblem } from './draft/causes.js';
import { checkDraft } from './draft/checks.js';
import { keepModelDraft } from './draft/draft-store.js';
import type { ModelDraft, ModelNames } from './draft/model-draft.js';
import { writeDefinition } from './draft/write-definition.js';

interface Sent {
  readonly draft: ModelDraft;
  readonly names: ModelNames;
  readonly definition: JsonObject;
}

/** Saving of a draft, and the problems of the last attempt. */
export interface Saving {
  readonly problems: readonly DraftProblem[];
  /** The error as a whole; null without one. */
  readonly error: unknown;
  readonly isSaving: boolean;
  /** True when somebody else changed the definition in the meantime. */
  readonly isConflict: boolean;
  readonly save: (draft: ModelDraft, names: ModelNames) => void;
  /** Forgets the problems of a field or part, because it has changed. */
  readonly forget: () => void;
}

/** @param key of the draft @param onProblems called with the problems of an attempt */
export function useSave(key: string, onProblems: (problems: readonly DraftProblem[]) => void): Saving {
  const client = useQueryClient();
  const [problems, setProblems] = useState<readonly DraftProblem[]>([]);
  const refuse = (found: readonly DraftProblem[]): void => {
    setProblems(found);
    onProblems(found);
  };
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: ({ draft, definition }: Sent) =>
      draft.stored === undefined ? createDefinition(definition) : replaceDefinition(definition),
    onError: (failure, { draft, definition }) => {
      say(formatMessage(failure));
      refuse(problemsOf(causesOf(failure), draft.fields, definition));
    },
    onSuccess: async (_, { draft, names }) => {
      keepModelDraft(key, undefined);
      await client.invalidateQueries({ queryKey: ['models'] });
      void client.invalidateQueries();
      say(draft.stored === undefined ? t`${draft.title} is ready. Create the first object.` : t`Saved.`);
      navigate(getList(names));
    },
  });
  return {
    problems,
    error,
    isSaving: isPending,
    isConflict: isConflict(error) && causesOf(error).length === 0,
    save: (draft, names) => {
      const found = checkDraft(draft, names);
      reset();
      refuse(found);
      if (found.length === 0) mutate({ draft, names, definition: writeDefinition(draft, names) });
    },
    forget: () => setProblems([]),
  };
}

function causesOf(failure: unknown): ApiError['causes'] {
  if (!(failure instanceof ApiError)) return [];
  if (failure.reason === 'AlreadyExists')
    return [{ field: 'metadata.name', message: t`Another model has this plural.` }];
  return failure.causes;
}
