import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { formatCount } from '../../lib/format.js';
import { t } from '../../texts.js';
import { useForm, useMessages, useStored, type FieldProps } from '../form-state.js';
import { FieldName, FieldNotes, getLabel } from '../parts.js';
import { below, formatPath } from '../path.js';
import { limitTexts } from '../shape/keywords.js';
import type { ListShape } from '../shape/shape.js';
import { Item } from './item.js';
import { ListPager, PAGE } from './list-pager.js';
import { makeEmpty } from './make-empty.js';
import { useWantedItem } from './use-wanted-item.js';

/** An array: its items in a column, some at a time. */
export function ListField({ field, path }: FieldProps<ListShape>): ReactNode {
  const id = useId();
  const { store, isReadOnly } = useForm();
  const messages = useMessages(path);
  const count = useStored(path, (value) => (Array.isArray(value) ? value.length : 0));
  const [from, setFrom] = useState(0);
  const box = useRef<HTMLFieldSetElement>(null);
  const { item, schema } = field.shape;
  const label = getLabel(field);
  useWantedItem(path, (i) => setFrom(i - (i % PAGE)));
  useEffect(() => {
    if (from >= count) setFrom(Math.max(0, count - 1 - ((count - 1) % PAGE)));
  }, [from, count]);
  const focusItem = (i: number): void => {
    const items = box.current?.querySelectorAll<HTMLElement>(':scope > .form-items > li') ?? [];
    items[i % PAGE]?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  };
  const add = (): void => {
    flushSync(() => {
      store.set(below(path, count), makeEmpty(item));
      setFrom(count - (count % PAGE));
    });
    focusItem(count);
  };
  const move = (i: number, to: number): void => {
    if (to < 0 || to >= count) return;
    flushSync(() => {
      store.move(path, i, to);
      setFrom(to - (to % PAGE));
    });
    const rows = box.current?.querySelectorAll<HTMLElement>(':scope > .form-items > li') ?? [];
    rows[to % PAGE]?.querySelector<HTMLElement>('.form-move')?.focus();
  };
  const onKey = (event: KeyboardEvent, i: number): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    event.stopPropagation();
    move(i, event.key === 'ArrowUp' ? i - 1 : i + 1);
  };
  const remove = (i: number): void => {
    flushSync(() => store.set(below(path, i), undefined));
    const next = Math.min(i, count - 2);
    if (next >= 0) focusItem(next);
    else box.current?.querySelector<HTMLElement>('.form-add')?.focus();
  };
  const shown = Array.from({ length: Math.min(PAGE, Math.max(0, count - from)) }, (_, i) => from + i);
  return (
    <fieldset ref={box} className="form-list" data-field={formatPath(path)} aria-describedby={id}>
      <legend>
        <FieldName field={field} path={path} />
        {count > 0 && <span className="form-side">{formatCount(count)}</span>}
      </legend>
      <FieldNotes id={id} description={field.description} limits={limitTexts(schema)} messages={messages} />
      {shown.length > 0 && (
        <ol className="form-items" start={from + 1}>
          {shown.map((i) => (
            <li key={i} className="form-item" onKeyDown={isReadOnly ? undefined : (event) => onKey(event, i)}>
              <Item shape={item} name={`${label} ${i + 1}`} path={below(path, i)} />
              {!isReadOnly && (
                <span className="form-item-actions">
                  {count > 1 && (
                    <button
                      type="button"
                      className="quiet sign form-move"
                      aria-label={i === 0 ? t`Move ${`${label} 1`} down` : t`Move ${`${label} ${i + 1}`} up`}
                      title={t`Alt+↑ and Alt+↓ move it`}
                      onClick={() => move(i, i === 0 ? 1 : i - 1)}
                    >
                      {i === 0 ? '↓' : '↑'}
                    </button>
                  )}
                  <button
                    type="button"
                    className="quiet sign"
                    aria-label={t`Remove ${`${label} ${i + 1}`}`}
                    onClick={() => remove(i)}
                  >
                    ✕
                  </button>
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      <div className="form-list-foot">
        {!isReadOnly && (
          <button type="button" className="quiet form-add" aria-label={t`Add to ${label}`} onClick={add}>
            {t`+ Add`}
          </button>
        )}
        {isReadOnly && count === 0 && <span className="faint">–</span>}
        {count > PAGE && <ListPager label={label} from={from} count={count} onChange={setFrom} />}
      </div>
    </fieldset>
  );
}
