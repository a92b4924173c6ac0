import { useState, type ReactNode } from 'react';
import { SignButton } from '../../parts/icon.js';
import { t } from '../../texts.js';
import { useForm, type FieldProps } from '../form-state.js';
import { below } from '../path.js';
import { getLabel } from '../shape/shape.js';
import { useNames } from './field-frame.js';
import { Item } from './group-field.js';
import { PAGE, RowsFrame } from './rows-frame.js';
import { makeEmpty } from './shape-values.js';

/** An object with names of the user's choice: a row for each. */
export function MapField({ field, path }: FieldProps<'map'>): ReactNode {
  const { store, isReadOnly } = useForm();
  const [from, setFrom] = useState(0);
  const keys = useNames(path);
  const { item } = field.shape;
  const label = getLabel(field);
  return (
    <RowsFrame
      field={field}
      path={path}
      count={keys.length}
      from={from}
      onPage={setFrom}
      adder={
        <NewKey name={label} taken={keys} onAdd={(key) => store.set(below(path, key), makeEmpty(item))} />
      }
    >
      {keys.slice(from, from + PAGE).map((key) => (
        <li key={key} className={item.shape === 'scalar' ? 'form-item form-pair' : 'form-item'}>
          <div className="form-pair-key">
            <KeyInput
              label={t`Name of ${`${label} ${key}`}`}
              name={key}
              taken={keys}
              onRename={(to) => store.rename(path, key, to)}
            />
          </div>
          <Item shape={item} name={`${label} ${key}`} path={below(path, key)} />
          {!isReadOnly && (
            <SignButton
              icon="close"
              label={t`Remove ${`${label} ${key}`}`}
              onPress={() => store.set(below(path, key), undefined)}
            />
          )}
        </li>
      ))}
    </RowsFrame>
  );
}

interface KeyInputProps {
  readonly name: string;
  readonly label: string;
  readonly taken: readonly string[];
  readonly onRename: (to: string) => void;
}

/** The name of a member. Another one takes effect when the input is left. */
function KeyInput({ name, label, taken, onRename }: KeyInputProps): ReactNode {
  const [typed, setTyped] = useState(name);
  const end = (): void => {
    const to = typed.trim();
    if (to === name || to === '' || taken.includes(to)) setTyped(name);
    else onRename(to);
  };
  return (
    <input
      {...INPUT}
      className="mono"
      aria-label={label}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={end}
      onKeyDown={({ key }) => key === 'Enter' && end()}
    />
  );
}

const INPUT = { dir: 'auto', spellCheck: false, autoComplete: 'off' } as const;

interface NewKeyProps {
  readonly name: string;
  readonly taken: readonly string[];
  readonly onAdd: (key: string) => void;
}

function NewKey({ name, taken, onAdd }: NewKeyProps): ReactNode {
  const [typed, setTyped] = useState('');
  const key = typed.trim();
  const isFree = key !== '' && !taken.includes(key);
  const add = (): void => {
    if (!isFree) return;
    onAdd(key);
    setTyped('');
  };
  return (
    <span className="line form-new-key">
      <input
        {...INPUT}
        aria-label={t`New key in ${name}`}
        placeholder={t`New key`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <button
        type="button"
        className="quiet"
        aria-label={t`Add to ${name}`}
        aria-disabled={!isFree}
        onClick={add}
      >
        {t`+ Add`}
      </button>
    </span>
  );
}
