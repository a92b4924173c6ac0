import { useId, type ReactNode, type Ref } from 'react';
import { isObject } from '../../lib/json.js';
import { useMessages, useStored, type FieldProps } from '../form-state.js';
import { FieldName, FieldNotes } from '../parts.js';
import { formatPath, type Path } from '../path.js';
import { getLabel, type Field, type Shape } from '../shape/shape.js';

interface FieldFrameProps extends FieldProps {
  readonly className: string;
  /** False when only screen readers need it. */
  readonly hasName?: boolean;
  readonly side?: ReactNode;
  readonly limits?: readonly string[];
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLFieldSetElement>;
}

/** A field of several inputs, with its name and its notes. */
export function FieldFrame(props: FieldFrameProps): ReactNode {
  const { field, path, className, hasName = true, side, limits = [], children, ref } = props;
  const id = useId();
  const messages = useMessages(path);
  return (
    <fieldset
      ref={ref}
      className={className}
      data-field={formatPath(path)}
      aria-label={hasName ? undefined : getLabel(field)}
      aria-describedby={id}
    >
      {hasName && (
        <legend>
          <FieldName field={field} path={path} />
          {side}
        </legend>
      )}
      <FieldNotes id={id} description={field.description} limits={limits} messages={messages} />
      {children}
    </fieldset>
  );
}

const fields = new WeakMap<Shape, Map<string, Field>>();

/** A field that the schema does not name: the same for the same shape and name, so that it is not rendered again. */
export function asField(shape: Shape, name: string): Field {
  const known = fields.get(shape) ?? new Map<string, Field>();
  fields.set(shape, known);
  const empty = { description: '', preset: '', example: '', isRequired: false, isHalf: false };
  const field = known.get(name) ?? { ...empty, name, title: name, shape };
  known.set(name, field);
  return field;
}

/** The names of the members of an object. */
export function useNames(path: Path): readonly string[] {
  // As one text: it is compared at each key.
  const names = useStored(path, (value) =>
    Object.keys(isObject(value) ? value : {})
      .map((name) => `/${encodeURIComponent(name)}`)
      .join(''),
  );
  return names.split('/').slice(1).map(decodeURIComponent);
}
