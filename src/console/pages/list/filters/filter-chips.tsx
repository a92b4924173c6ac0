import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { t } from '../../../texts.js';
import { isSearchable } from '../fields.js';
import { useListState } from '../list-context.js';
import { NAME_PREFIX, withoutConditions, withParameter } from '../parameters.js';
import { getChips } from './filter.js';
import { FilterPopover } from './filter-popover.js';
import { formatOperator, formatValues, getFilterField } from './operators.js';
import { getRequirements, withRequirements } from './requirements.js';

/** The conditions of the list that people understand, each to change or to remove. */
export function FilterChips(): ReactNode {
  const { model, parameters, onChange } = useListState();
  const list = useRef<HTMLUListElement>(null);
  const all = getChips(getRequirements(parameters));
  // The texts have the others.
  const chips = all.flatMap(({ filter, requirements }) =>
    filter === undefined ? [] : [{ filter, requirements }],
  );
  const prefix = isSearchable(model) ? (parameters.get(NAME_PREFIX) ?? '') : '';
  const hasPrefix = prefix !== '';
  const count = chips.length + Number(hasPrefix);
  const removed = useRef<number>(undefined);
  // A button is removed with its chip: then the next one gets the focus.
  useLayoutEffect(() => {
    if (removed.current === undefined) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>('[data-remove]') ?? [];
    const next = buttons[Math.min(removed.current, count - 1)];
    (next ?? list.current?.parentElement?.querySelector<HTMLElement>('input'))?.focus();
    removed.current = undefined;
  }, [count]);
  const remove = (at: number, changed: URLSearchParams): void => {
    removed.current = at;
    onChange(changed);
  };
  if (all.length === 0 && !hasPrefix) return null;
  return (
    <ul ref={list} className="filter-chips" aria-label={t`Conditions`}>
      {chips.map(({ filter, requirements }, i) => {
        const field = getFilterField(model, filter.field);
        return (
          <Chip
            key={requirements.map(({ text }) => text).join()}
            words={[field.title, formatOperator(filter.operator, field.kind), formatValues(filter, field)]}
            onRemove={() => remove(i, withRequirements(parameters, requirements, []))}
          >
            {(label) => (
              <FilterPopover
                label={label}
                className="filter-popover-edit"
                filter={filter}
                requirements={requirements}
              />
            )}
          </Chip>
        );
      })}
      {hasPrefix && (
        <Chip
          words={[t`Name`, t`begins with`, prefix]}
          onRemove={() => remove(chips.length, withParameter(parameters, NAME_PREFIX, ''))}
        >
          {(label) => <span>{label}</span>}
        </Chip>
      )}
      {all.length + Number(hasPrefix) > 1 && (
        <li>
          <button type="button" className="quiet" onClick={() => onChange(withoutConditions(parameters))}>
            {t`Remove all`}
          </button>
        </li>
      )}
    </ul>
  );
}

interface ChipProps {
  readonly words: readonly [title: string, operator: string, value: string];
  readonly onRemove: () => void;
  readonly children: (label: ReactNode) => ReactNode;
}

function Chip({ words, onRemove, children }: ChipProps): ReactNode {
  const [title, operator, value] = words;
  const name = words.join(' ').trim();
  return (
    <li className="filter-chip">
      {children(
        <>
          {title} <em>{operator}</em> {value !== '' && <strong>{value}</strong>}
        </>,
      )}
      <button
        type="button"
        data-remove=""
        aria-label={t`Remove ${name}`}
        onClick={onRemove}
        onKeyDown={(event) => {
          if (event.key !== 'Delete' && event.key !== 'Backspace') return;
          event.preventDefault();
          onRemove();
        }}
      >
        <span aria-hidden="true">×</span>
      </button>
    </li>
  );
}
