import { useIsMutating, useMutation, type UseMutationResult } from '@tanstack/react-query';
import { readJson, send } from '../api/http.js';
import { getPath, type ModelRef } from '../api/models.js';
import type { StoredObject } from '../api/objects.js';

interface Creation {
  readonly create: UseMutationResult<StoredObject, unknown, string>;
  /** It may have started before other pages were opened. */
  readonly isSaving: boolean;
}

interface CreationOptions {
  readonly onError: (error: unknown) => void;
  readonly onSuccess: (object: StoredObject) => void;
}

/** Creates objects of a model from their texts; unknown fields are refused. */
export function useCreate(model: ModelRef, options: CreationOptions): Creation {
  const mutationKey = ['create', getPath(model)];
  const isSaving = useIsMutating({ mutationKey }) > 0;
  const create = useMutation({
    mutationKey,
    mutationFn: async (body: string) => {
      const headers = { 'Content-Type': 'application/yaml' };
      const url = `${getPath(model)}?fieldValidation=Strict`;
      return (await readJson(await send(url, { method: 'POST', body, headers }))) as StoredObject;
    },
    ...options,
  });
  return { create, isSaving };
}
