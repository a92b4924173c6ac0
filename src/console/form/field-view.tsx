import { useId, type ReactNode } from 'react';
import { isObject, getMember, type JsonObject } from '../lib/json.js';
import { t } from '../texts.js';
import { useForm, useMessages, type FieldProps } from './form-state.js';
import { formatPath, type Path } from './form-text.js';
import { OtherField, ScalarField } from './leaf-fields.js';
import { limitTexts } from './keywords.js';
import { MapField } from './map-field.js';
import { FieldName, FieldNotes } from './parts.js';
import { ScalarInput } from './scalar-input.js';
import type { Field, GroupShape, Shape } from './shape.js';

/** A field of any shape. A value that does not match the shape is edited only as text. */
export function FieldView({ field, path, value }: FieldProps): ReactNode {
  const { shape } = field;
  if (!fits(shape, value)) return <OtherField field={field} path={path} value={value} />;
  switch (shape.shape) {
    case 'scalar':
      return <ScalarField field={{ ...field, shape }} path={path} value={value} />;
    case 'list':
      return <ListField field={{ ...field, shape }} path={path} value={value} />;
    case 'map':
      return <MapField field={{ ...field, shape }} path={path} value={value} />;
    case 'group':
      return <GroupField field={{ ...field, shape }} path={path} value={value} />;
    case 'other':
      return <OtherField field={field} path={path} value={value} />;
  }
}

function fits({ shape }: Shape, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (shape === 'list') return Array.isArray(value);
  return shape === 'scalar' ? typeof value !== 'object' : shape === 'other' || isObject(value);
}

function GroupField({ field, path, value }: FieldProps<GroupShape>): ReactNode {
  const id = useId();
  const messages = useMessages(path);
  const { fields, hidden = [] } = field.shape;
  return (
    <fieldset className="group" data-field={formatPath(path)} aria-describedby={id}>
      <legend>
        <FieldName field={field} />
      </legend>
      <FieldNotes id={id} description={field.description} messages={messages} />
      <Members fields={fields} path={path} value={isObject(value) ? value : {}} hidden={hidden} />
    </fieldset>
  );
}

interface MembersProps {
  readonly fields: readonly Field[];
  readonly path: Path;
  readonly value: JsonObject;
  /** Hidden members. */
  readonly hidden?: readonly string[];
}

/** The fields of an object, and its other members. */
export function Members({ fields, path, value, hidden = [] }: MembersProps): ReactNode {
  const known = [...hidden, ...fields.map(({ name }) => name)];
  const others = Object.keys(value).filter((name) => !known.includes(name));
  return (
    <>
      {fields.map((field) => (
        <FieldView
          key={field.name}
          field={field}
          path={[...path, field.name]}
          value={getMember(value, field.name)}
        />
      ))}
      {others.map((name) => (
        <OtherField key={name} field={unknownField(name)} path={[...path, name]} value={value[name]} />
      ))}
    </>
  );
}

function unknownField(name: string): Field {
  const empty = { title: '', description: '', preset: '', example: '' };
  return { ...empty, name, shape: { shape: 'other' }, isRequired: false };
}

/** An array: its items in a column. */
function ListField({ field, path, value }: FieldProps<Extract<Shape, { shape: 'list' }>>): ReactNode {
  const id = useId();
  const { set } = useForm();
  const messages = useMessages(path);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const { item, schema } = field.shape;
  return (
    <fieldset className="list" data-field={formatPath(path)} aria-describedby={id}>
      <legend>
        <FieldName field={field} />
      </legend>
      <FieldNotes id={id} description={field.description} limits={limitTexts(schema)} messages={messages} />
      {items.map((one, i) => (
        <div key={i} className="item">
          <Item shape={item} name={`${field.name} ${i + 1}`} path={[...path, i]} value={one} />
          <button
            type="button"
            className="quiet"
            aria-label={t`Remove ${`${field.name} ${i + 1}`}`}
            onClick={() => set([...path, i], undefined)}
          >
            ✕
          </button>
        </div>
      ))}
      <button
        type="button"
        className="quiet add"
        aria-label={t`Add to ${field.name}`}
        onClick={() => set([...path, items.length], item.shape === 'group' ? {} : '')}
      >
        {t`+ Add`}
      </button>
    </fieldset>
  );
}

interface ItemProps {
  readonly shape: Shape;
  readonly name: string;
  readonly path: Path;
  readonly value: unknown;
}

function Item({ shape, name, path, value }: ItemProps): ReactNode {
  const id = useId();
  const { set } = useForm();
  const messages = useMessages(path);
  if (shape.shape === 'group')
    return (
      <fieldset className="group" data-field={formatPath(path)} aria-describedby={id}>
        <legend>{name}</legend>
        <FieldNotes id={id} description="" messages={messages} />
        <Members fields={shape.fields} path={path} value={isObject(value) ? value : {}} />
      </fieldset>
    );
  if (shape.shape !== 'scalar') return null;
  return (
    <div className="field" data-field={formatPath(path)}>
      <ScalarInput
        shape={shape}
        value={value}
        input={{ 'aria-label': name, 'aria-describedby': id, 'aria-invalid': messages.length > 0 }}
        // An empty item keeps its position.
        onChange={(given) => set(path, given ?? '')}
      />
      <FieldNotes id={id} description="" messages={messages} />
    </div>
  );
}
