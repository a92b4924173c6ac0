import { useId, useState, type ReactNode } from 'react';
import { isObject } from '../../lib/json.js';
import { t } from '../../texts.js';
import { useForm, useMessages, useStored, type FieldProps } from '../form-state.js';
import { FieldName, FieldNotes, getLabel } from '../parts.js';
import { below, formatPath } from '../path.js';
import type { MapShape } from '../shape/shape.js';
import { Item } from './item.js';
import { ListPager, PAGE } from './list-pager.js';
import { makeEmpty } from './make-empty.js';

/** An object with names of the user's choice: a row for each. */
export function MapField({ field, path }: FieldProps<MapShape>): ReactNode {
  const id = useId();
  const { store, isReadOnly } = useForm();
  const messages = useMessages(path);
  const [from, setFrom] = useState(0);
  const names = useStored(path, (value) =>
    isObject(value) ? Object.keys(value).map(encodeURIComponent).join('\n') : '\n',
  );
  const keys = names === '\n' || names === '' ? [] : names.split('\n').map(decodeURIComponent);
  const { item } = field.shape;
  const label = getLabel(field);
  const isWide = item.shape !== 'scalar';
  return (
    <fieldset className="form-list" data-field={formatPath(path)} aria-describedby={id}>
      <legend>
        <FieldName field={field} path={path} />
        {keys.length > 0 && <span className="form-side">{keys.length}</span>}
      </legend>
      <FieldNotes id={id} description={field.description} messages={messages} />
      {keys.length > 0 && (
        <ul className="form-items">
          {keys.slice(from, from + PAGE).map((key) => (
            <li key={key} className={isWide ? 'form-item' : 'form-item form-pair'}>
              <div className="form-pair-key">
                <KeyInput
                  name={key}
                  label={label}
                  taken={keys}
                  onRename={(to) => store.rename(path, key, to)}
                />
              </div>
              <Item shape={item} name={`${label} ${key}`} path={below(path, key)} />
              {!isReadOnly && (
                <button
                  type="button"
                  className="quiet sign"
                  aria-label={t`Remove ${`${label} ${key}`}`}
                  onClick={() => store.set(below(path, key), undefined)}
                >
                  ✕
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="form-list-foot">
        {!isReadOnly && (
          <NewKey name={label} taken={keys} onAdd={(key) => store.set(below(path, key), makeEmpty(item))} />
        )}
        {isReadOnly && keys.length === 0 && <span className="faint">–</span>}
        {keys.length > PAGE && <ListPager label={label} from={from} count={keys.length} onChange={setFrom} />}
      </div>
    </fieldset>
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
      className="mono"
      aria-label={t`Name of ${`${label} ${name}`}`}
      value={typed}
      dir="auto"
      spellCheck={false}
      autoComplete="off"
      onChange={({ target }) => setTyped(target.value)}
      onBlur={end}
      onKeyDown={({ key }) => {
        if (key === 'Enter') end();
      }}
    />
  );
}

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
    <span className="form-new-key">
      <input
        aria-label={t`New key in ${name}`}
        placeholder={t`New key`}
        value={typed}
        dir="auto"
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <button
        type="button"
        className="quiet form-add"
        aria-label={t`Add to ${name}`}
        aria-disabled={!isFree}
        onClick={add}
      >
        {t`+ Add`}
      </button>
    </span>
  );
}
