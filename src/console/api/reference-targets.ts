import { useMemo } from 'react';
import { getReferences } from '../lib/references.js';
import { useModels, type Model } from './models.js';
import { storedModel } from './names.js';

/** The models that a model's fields refer to, by the dotted path of the field. */
export type ReferenceTargets = ReadonlyMap<string, Model>;

/** Without the fields whose target is not served. */
export function useReferenceTargets(model: Model | undefined): ReferenceTargets {
  const { data: models } = useModels();
  return useMemo(() => {
    const references = model === undefined ? [] : getReferences(model.schema);
    return new Map(
      references.flatMap(({ group, kind, path }) => {
        const target = storedModel(models ?? [], group, kind);
        return target === undefined ? [] : [[path.join('.'), target] as const];
      }),
    );
  }, [model, models]);
}
