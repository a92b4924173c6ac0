import { useId, type ReactNode } from 'react';
import { useForm, useMessages, useValue } from '../form-state.js';
import { ScalarInput } from '../inputs/scalar-input.js';
import { FieldNotes } from '../parts.js';
import { formatPath, type Path } from '../path.js';
import type { Field, ScalarShape, Shape } from '../shape/shape.js';
import { Members } from './group-field.js';

interface ItemProps<S extends Shape = Shape> {
  readonly shape: S;
  /** Its name for screen readers. */
  readonly name: string;
  readonly path: Path;
}

/** An item of a list, or a member of a map. */
export function Item({ shape, name, path }: ItemProps): ReactNode {
  const { FieldView } = useForm();
  switch (shape.shape) {
    case 'scalar':
      return <ScalarItem shape={shape} name={name} path={path} />;
    case 'group':
      return <GroupItem fields={shape.fields} name={name} path={path} />;
    default:
      return <FieldView field={asField(shape, name)} path={path} />;
  }
}

const fields = new WeakMap<Shape, Map<string, Field>>();

/** The same field for the same shape and name, so that it is not rendered again. */
function asField(shape: Shape, name: string): Field {
  const known = fields.get(shape) ?? new Map<string, Field>();
  fields.set(shape, known);
  const empty = { description: '', preset: '', example: '', isRequired: false, isHalf: false };
  const field = known.get(name) ?? { ...empty, name, title: name, shape };
  known.set(name, field);
  return field;
}

interface GroupItemProps {
  readonly fields: readonly Field[];
  readonly name: string;
  readonly path: Path;
}

/** The number of short fields that fit side by side. */
const ROW_MAX = 4;

function GroupItem({ fields: members, name, path }: GroupItemProps): ReactNode {
  const id = useId();
  const messages = useMessages(path);
  const isRow = members.length <= ROW_MAX && members.every(({ shape }) => shape.shape === 'scalar');
  return (
    <fieldset
      className={isRow ? 'form-row' : 'form-plain'}
      data-field={formatPath(path)}
      aria-label={name}
      aria-describedby={id}
    >
      <FieldNotes id={id} description="" messages={messages} />
      <Members fields={members} path={path} />
    </fieldset>
  );
}

function ScalarItem({ shape, name, path }: ItemProps<ScalarShape>): ReactNode {
  const id = useId();
  const { store } = useForm();
  const value = useValue(path);
  const messages = useMessages(path);
  return (
    <div className="form-field" data-field={formatPath(path)}>
      <ScalarInput
        shape={shape}
        isRequired
        value={value}
        input={{ 'aria-label': name, 'aria-describedby': id, 'aria-invalid': messages.length > 0 }}
        // An empty item keeps its position.
        onChange={(given) => store.set(path, given ?? '')}
      />
      <FieldNotes id={id} description="" messages={messages} />
    </div>
  );
}
