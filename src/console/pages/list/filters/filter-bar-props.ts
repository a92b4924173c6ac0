import type { ReactNode } from 'react';
import type { Model, ModelRef } from '../../../api/models.js';
import type { Fault } from '../parameters.js';

export interface FilterBarProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly fault: Fault | undefined;
  /** Further controls at the end of the bar. */
  readonly children?: ReactNode;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** True when the objects of a model can be found by words. */
export function isSearchable(model: Model | undefined): boolean {
  return model?.indexes.some(({ keyType }) => keyType === 'text') === true;
}
