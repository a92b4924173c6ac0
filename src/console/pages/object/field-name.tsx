import type { ReactNode } from 'react';
import { useModel, type ModelRef } from '../../api/models.js';
import { getFieldTitle } from '../list/fields.js';

interface FieldNameProps {
  readonly modelRef: ModelRef;
  /** Its dotted path. */
  readonly field: string;
}

/** The name of a field for people; its path is a tooltip. */
export function FieldName({ modelRef, field }: FieldNameProps): ReactNode {
  return (
    <span className="faint" title={field}>
      {getFieldTitle(useModel(modelRef), field)}
    </span>
  );
}
