import { createContext, use, useCallback, useSyncExternalStore, type ComponentType } from 'react';
import type { Cause } from '../api/errors.js';
import type { FormStore } from './form-store.js';
import { formatPath, type Path } from './path.js';
import type { Field, Shape, ShapeOf } from './shape/shape.js';

export interface FormState {
  readonly store: FormStore;
  readonly causes: readonly Cause[];
  readonly isReadOnly: boolean;
  readonly prefix: string;
  /** The component of a field of any shape: fields contain fields. */
  readonly FieldView: ComponentType<FieldProps>;
}

export interface FieldProps<K extends Shape['shape'] = Shape['shape']> {
  readonly field: Field & { readonly shape: ShapeOf<K> };
  readonly path: Path;
}

export const FormContext = createContext<FormState | undefined>(undefined);

/** @throws Error outside of a form */
export function useForm(): FormState {
  const state = use(FormContext);
  if (state === undefined) throw new Error('a field is displayed only in a form');
  return state;
}

/** Returns what a field needs of the value at a path. Only its change renders the field again: read texts, numbers and parts of values. */
export function useStored<T>(path: Path, read: (value: unknown) => T): T {
  const { store } = useForm();
  const subscribe = useCallback((listener: () => void) => store.subscribeTo(path, listener), [store, path]);
  return useSyncExternalStore(subscribe, () => read(store.get(path)));
}

/** The service's messages for a field; with `below`, also for its members. */
export function useMessages(path: Path, below = false): readonly string[] {
  const { causes } = useForm();
  if (causes.length === 0) return NONE;
  const name = formatPath(path);
  return causes
    .filter(
      ({ field }) =>
        field === name || (below && /^[.[]/.test(field.slice(name.length)) && field.startsWith(name)),
    )
    .map(({ field, message }) => (field === name ? message : `${field}: ${message}`));
}

const NONE: readonly string[] = [];
