import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import { isObject } from '../lib/json.js';
import { t } from '../texts.js';
import { useForm, useMessages, type FieldProps } from './form-state.js';
import { formatPath } from './form-text.js';
import { FieldName, FieldNotes } from './parts.js';
import { ScalarInput } from './scalar-input.js';
import type { Shape } from './shape.js';

type MapShape = Extract<Shape, { shape: 'map' }>;

/** A map with names of the user's choice. */
export function MapField({ field, path, value }: FieldProps<MapShape>): ReactNode {
  const id = useId();
  const { set } = useForm();
  const messages = useMessages(path, true);
  const members = isObject(value) ? value : {};
  return (
    <fieldset className="list" data-field={formatPath(path)} aria-describedby={id}>
      <legend>
        <FieldName field={field} />
      </legend>
      <FieldNotes id={id} description={field.description} messages={messages} />
      {Object.entries(members).map(([key, one]) => (
        <div key={key} className="item pair" data-field={formatPath([...path, key])}>
          <code>{key}</code>
          <ScalarInput
            shape={field.shape.item}
            value={one}
            input={{
              'aria-label': `${field.name} ${key}`,
              'aria-describedby': id,
              'aria-invalid': messages.length > 0,
            }}
            onChange={(given) => set([...path, key], given ?? '')}
          />
          <button
            type="button"
            className="quiet"
            aria-label={t`Remove ${`${field.name} ${key}`}`}
            onClick={() => set([...path, key], undefined)}
          >
            ✕
          </button>
        </div>
      ))}
      <NewKey name={field.name} taken={members} onAdd={(key) => set([...path, key], '')} />
    </fieldset>
  );
}

function getLabel(name: string): string {
  if (name === 'labels') return t`New label`;
  return name === 'annotations' ? t`New annotation` : t`New key in ${name}`;
}

interface NewKeyProps {
  readonly name: string;
  readonly taken: Readonly<Record<string, unknown>>;
  readonly onAdd: (key: string) => void;
}

function NewKey({ name, taken, onAdd }: NewKeyProps): ReactNode {
  const [typed, setTyped] = useState('');
  const key = typed.trim();
  const isFree = key !== '' && !Object.hasOwn(taken, key);
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isFree) return;
    onAdd(key);
    setTyped('');
  };
  return (
    <form className="item" onSubmit={add}>
      <input
        aria-label={getLabel(name)}
        placeholder={getLabel(name)}
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setTyped(target.value)}
      />
      <button type="submit" className="quiet add" aria-label={t`Add to ${name}`} disabled={!isFree}>
        {t`+ Add`}
      </button>
    </form>
  );
}
