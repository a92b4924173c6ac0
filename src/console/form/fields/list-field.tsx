import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { flushSync } from 'react-dom';
import { SignButton } from '../../parts/icon.js';
import { t } from '../../texts.js';
import { useForm, useStored, type FieldProps } from '../form-state.js';
import { below } from '../path.js';
import { limitTexts } from '../shape/keywords.js';
import { getLabel } from '../shape/shape.js';
import { Item } from './group-field.js';
import { PAGE, RowsFrame } from './rows-frame.js';
import { makeEmpty } from './shape-values.js';

const FOCUSABLE = 'input, select, textarea, button';

/** An array: its items in a column, some at a time. */
export function ListField({ field, path }: FieldProps<'list'>): ReactNode {
  const { store, isReadOnly } = useForm();
  const count = useStored(path, (value) => (Array.isArray(value) ? value.length : 0));
  const [from, setFrom] = useState(0);
  const box = useRef<HTMLFieldSetElement>(null);
  const { item, schema } = field.shape;
  const label = getLabel(field);
  const show = (i: number): void => setFrom(i - (i % PAGE));
  const wanted = useSyncExternalStore(store.subscribe, store.wanted);
  useLayoutEffect(() => {
    const step = wanted[path.length];
    if (typeof step === 'number' && path.every((one, i) => one === wanted[i])) show(step);
  }, [wanted]);
  useEffect(() => {
    if (from >= count) show(Math.max(0, count - 1));
  }, [from, count]);
  /** Changes the list, and focuses a part of one of its items. */
  const changeAt = (i: number, part: string, change: () => void): void => {
    flushSync(() => {
      change();
      show(i);
    });
    const row = box.current?.querySelectorAll(':scope > .form-items > li')[i % PAGE];
    (row ?? box.current)?.querySelector<HTMLElement>(row === undefined ? '.add' : part)?.focus();
  };
  const move = (i: number, to: number): void => {
    if (to >= 0 && to < count) changeAt(to, '.form-move', () => store.move(path, i, to));
  };
  const onKey = (event: KeyboardEvent, i: number): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    event.stopPropagation();
    move(i, event.key === 'ArrowUp' ? i - 1 : i + 1);
  };
  const shown = Array.from({ length: Math.min(PAGE, Math.max(0, count - from)) }, (_, i) => from + i);
  return (
    <RowsFrame
      ref={box}
      field={field}
      path={path}
      limits={limitTexts(schema)}
      count={count}
      from={from}
      onPage={setFrom}
      adder={
        <button
          type="button"
          className="quiet add"
          aria-label={t`Add to ${label}`}
          onClick={() => changeAt(count, FOCUSABLE, () => store.set(below(path, count), makeEmpty(item)))}
        >
          {t`+ Add`}
        </button>
      }
    >
      {shown.map((i) => {
        const name = `${label} ${i + 1}`;
        return (
          <li key={i} className="form-item" onKeyDown={isReadOnly ? undefined : (event) => onKey(event, i)}>
            <Item shape={item} name={name} path={below(path, i)} />
            {!isReadOnly && (
              <span className="line">
                {count > 1 && (
                  <button
                    type="button"
                    className="quiet sign form-move"
                    aria-label={i === 0 ? t`Move ${name} down` : t`Move ${name} up`}
                    title={t`Alt+↑ and Alt+↓ move it`}
                    onClick={() => move(i, i === 0 ? 1 : i - 1)}
                  >
                    {i === 0 ? '↓' : '↑'}
                  </button>
                )}
                <SignButton
                  icon="close"
                  label={t`Remove ${name}`}
                  onPress={() =>
                    changeAt(Math.max(0, Math.min(i, count - 2)), FOCUSABLE, () =>
                      store.set(below(path, i), undefined),
                    )
                  }
                />
              </span>
            )}
          </li>
        );
      })}
    </RowsFrame>
  );
}
