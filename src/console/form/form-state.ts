import { createContext, use } from 'react';
import type { Cause } from '../api/errors.js';
import { formatPath, type Path } from './form-text.js';
import type { Field, Shape } from './shape.js';

export type Change = readonly [path: Path, value: unknown];

/** What all fields of a form share. */
export interface FormState {
  readonly causes: readonly Cause[];
  /** Where the whole text can be edited. */
  readonly yamlHref: string;
  /** Undefined takes the value away. */
  readonly set: (path: Path, value: unknown) => void;
  /** Several values in one step. */
  readonly change: (changes: readonly Change[]) => void;
  /** Beginning of a generated name. */
  readonly prefix: string;
}

/** What shows a field needs to know of it. */
export interface FieldProps<S extends Shape = Shape> {
  readonly field: Field & { readonly shape: S };
  readonly path: Path;
  readonly value: unknown;
}

export const FormContext = createContext<FormState>({
  causes: [],
  yamlHref: '',
  set: () => undefined,
  change: () => undefined,
  prefix: '',
});

export function useForm(): FormState {
  return use(FormContext);
}

/** What the service says of a field; with `below`, also of what is in it. */
export function useMessages(path: Path, below = false): readonly string[] {
  const { causes } = useForm();
  const name = formatPath(path);
  return causes
    .filter(
      ({ field }) =>
        field === name || (below && /^[.[]/.test(field.slice(name.length)) && field.startsWith(name)),
    )
    .map(({ field, message }) => (field === name ? message : `${field}: ${message}`));
}
