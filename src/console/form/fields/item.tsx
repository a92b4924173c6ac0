import type { ReactNode } from 'react';
import { useForm } from '../form-state.js';
import type { Path } from '../path.js';
import type { Shape } from '../shape/shape.js';
import { asField, FieldFrame } from './field-frame.js';
import { Members } from './group-field.js';
import { ScalarField } from './scalar-field.js';

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
