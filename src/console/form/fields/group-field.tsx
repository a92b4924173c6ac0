import { memo, type ReactNode } from 'react';
import { useForm, type FieldProps } from '../form-state.js';
import { below, type Path } from '../path.js';
import type { Field, Shape } from '../shape/shape.js';
import { asField, FieldFrame, useNames } from './field-frame.js';
import { ScalarField } from './scalar-field.js';

/** An object in a frame. The first level has none: its fields are those of the form. */
export function GroupField({ field, path }: FieldProps<'group'>): ReactNode {
  const isFirst = path.length === 1;
  return (
    <FieldFrame
      field={field}
      path={path}
      className={isFirst ? 'stack' : 'stack tight form-group'}
      hasName={!isFirst}
    >
      <Members fields={field.shape.fields} path={path} />
    </FieldFrame>
  );
}

const NONE: readonly string[] = [];
const OTHER: Shape = { shape: 'other' };

interface MembersProps {
  readonly fields: readonly Field[];
  readonly path: Path;
  readonly hidden?: readonly string[];
}

/** The fields of an object, and its members that the schema does not declare. */
export const Members = memo(function Members({ fields, path, hidden = NONE }: MembersProps): ReactNode {
  const { FieldView } = useForm();
  const known = new Set([...hidden, ...fields.map(({ name }) => name)]);
  const others = useNames(path).filter((name) => !known.has(name));
  return (
    <div className="form-fields">
      {[...fields, ...others.map((name) => asField(OTHER, name))].map((field) => (
        <FieldView key={field.name} field={field} path={below(path, field.name)} />
      ))}
    </div>
  );
});

interface ItemProps {
  readonly shape: Shape;
  /** Its name for screen readers. */
  readonly name: string;
  readonly path: Path;
}

/** The number of short fields that fit side by side. */
const ROW_MAX = 4;

export function Item({ shape, name, path }: ItemProps): ReactNode {
  const { FieldView } = useForm();
  const field = asField(shape, name);
  if (shape.shape === 'scalar') return <ScalarField field={{ ...field, shape }} path={path} isItem />;
  if (shape.shape !== 'group') return <FieldView field={field} path={path} />;
  const { fields } = shape;
  const isRow = fields.length <= ROW_MAX && fields.every((one) => one.shape.shape === 'scalar');
  return (
    <FieldFrame field={field} path={path} className={isRow ? 'form-row' : 'stack'} hasName={false}>
      <Members fields={fields} path={path} />
    </FieldFrame>
  );
}
