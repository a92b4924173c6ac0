import { createContext, use } from 'react';
import type { Cause } from '../api/errors.js';
import { formatPath, type Path } from './form-text.js';
import type { Field, Shape } from './shape.js';

export type Change = readonly [path: Path, value: unknown];

/** The common state of a form's fields. */
export interface FormState {
  readonly causes: readonly Cause[];
  /** The link to the whole text. */
  readonly yamlHref: string;
  /** Undefined removes the value. */
  readonly set: (path: Path, value: unknown) => void;
  /** Sets several values in one step. */
  readonly change: (changes: readonly Change[]) => void;
  /** The prefix of a generated name. */
  readonly prefix: string;
}

/** The properties of a field's component. */
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

/** The service's messages for a field; with `below`, also for its members. */
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
