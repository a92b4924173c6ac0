import { memo, useId, type ReactNode } from 'react';
import { isObject } from '../../lib/json.js';
import { useForm, useMessages, useStored, type FieldProps } from '../form-state.js';
import { FieldName, FieldNotes, getLabel } from '../parts.js';
import { below, formatPath, type Path } from '../path.js';
import type { Field, GroupShape } from '../shape/shape.js';

/** An object in a frame. The first level has none: its fields are those of the form. */
export function GroupField({ field, path }: FieldProps<GroupShape>): ReactNode {
  const id = useId();
  const messages = useMessages(path);
  const { fields, hidden = NONE } = field.shape;
  const isFirst = path.length === 1;
  return (
    <fieldset
      className={isFirst ? 'form-plain' : 'form-group'}
      data-field={formatPath(path)}
      aria-label={isFirst ? getLabel(field) : undefined}
      aria-describedby={id}
    >
      {!isFirst && (
        <legend>
          <FieldName field={field} path={path} />
        </legend>
      )}
      <FieldNotes id={id} description={field.description} messages={messages} />
      <Members fields={fields} path={path} hidden={hidden} />
    </fieldset>
  );
}

const NONE: readonly string[] = [];

interface MembersProps {
  readonly fields: readonly Field[];
  readonly path: Path;
  /** Hidden members. */
  readonly hidden?: readonly string[];
}

/** The fields of an object, and its other members. */
export const Members = memo(function Members({ fields, path, hidden = NONE }: MembersProps): ReactNode {
  const { FieldView } = useForm();
  // As one text: it is compared at each key.
  const others = useStored(path, (value) => findOthers(value, fields, hidden));
  return (
    <div className="form-fields">
      {fields.map((field) => (
        <FieldView key={field.name} field={field} path={below(path, field.name)} />
      ))}
      {others !== '' &&
        others
          .split('\n')
          .map(decodeURIComponent)
          .map((name) => <FieldView key={name} field={getUnknown(name)} path={below(path, name)} />)}
    </div>
  );
});

function findOthers(value: unknown, fields: readonly Field[], hidden: readonly string[]): string {
  if (!isObject(value)) return '';
  const known = namesOf(fields);
  const others = Object.keys(value).filter((name) => !known.has(name) && !hidden.includes(name));
  return others.length === 0 ? '' : others.map(encodeURIComponent).join('\n');
}

const names = new WeakMap<readonly Field[], ReadonlySet<string>>();

function namesOf(fields: readonly Field[]): ReadonlySet<string> {
  const known = names.get(fields) ?? new Set(fields.map(({ name }) => name));
  names.set(fields, known);
  return known;
}

const unknown = new Map<string, Field>();

/** A member that the schema does not declare. */
function getUnknown(name: string): Field {
  const empty = { title: name, description: '', preset: '', example: '' };
  const field = unknown.get(name) ?? {
    ...empty,
    name,
    shape: { shape: 'other' },
    isRequired: false,
    isHalf: false,
  };
  unknown.set(name, field);
  return field;
}
