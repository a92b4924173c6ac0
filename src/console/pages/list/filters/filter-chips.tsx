import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { t } from '../../../texts.js';
import { NAME_PREFIX, withoutConditions, withParameter } from '../parameters.js';
import { getChips, type FieldFilter, type FilterChip } from './filter.js';
import { isSearchable, type FilterBarProps } from './filter-bar-props.js';
import { EditFilter } from './filter-popover.js';
import { formatOperator, getFilterField } from './operators.js';
import { getRequirements, withRequirements } from './requirements.js';
import { formatFilterValue } from './filter-value.js';

/** The conditions of the list that people understand, each to change or to remove. */
export function FilterChips(props: FilterBarProps): ReactNode {
  const { model, parameters, onChange } = props;
  const list = useRef<HTMLUListElement>(null);
  const all = getChips(getRequirements(parameters));
  // The texts have the others.
  const chips = all.filter(({ filter }) => filter !== undefined);
  const prefix = parameters.get(NAME_PREFIX) ?? '';
  const hasPrefix = prefix !== '' && isSearchable(model);
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
      {chips.map((chip, i) => (
        <Chip
          key={chip.requirements.map(({ text }) => text).join()}
          {...props}
          chip={chip}
          onRemove={() => remove(i, withRequirements(parameters, chip.requirements, []))}
        />
      ))}
      {hasPrefix && (
        <li className="filter-chip">
          <span className="filter-chip-what">
            {t`Name`} <em>{t`begins with`}</em> <strong>{prefix}</strong>
          </span>
          <Remove
            name={`${t`Name`} ${t`begins with`} ${prefix}`}
            onRemove={() => remove(chips.length, withParameter(parameters, NAME_PREFIX, ''))}
          />
        </li>
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

interface ChipProps extends FilterBarProps {
  readonly chip: FilterChip;
  readonly onRemove: () => void;
}

function Chip({ chip, onRemove, ...props }: ChipProps): ReactNode {
  const { filter } = chip;
  if (filter === undefined) return null;
  const { title, operator, value } = getWords(props, filter);
  return (
    <li className="filter-chip">
      <EditFilter {...props} filter={filter} requirements={chip.requirements}>
        {title} <em>{operator}</em> {value !== '' && <strong>{value}</strong>}
      </EditFilter>
      <Remove name={`${title} ${operator} ${value}`.trim()} onRemove={onRemove} />
    </li>
  );
}

/** The parts of a condition for people. */
function getWords(
  { model }: FilterBarProps,
  filter: FieldFilter,
): Record<'title' | 'operator' | 'value', string> {
  const field = getFilterField(model, filter.field);
  return {
    title: field.title,
    operator: formatOperator(filter.operator, field.kind),
    value: formatFilterValue(filter, field),
  };
}

interface RemoveProps {
  readonly name: string;
  readonly onRemove: () => void;
}

function Remove({ name, onRemove }: RemoveProps): ReactNode {
  return (
    <button
      type="button"
      className="filter-chip-remove"
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
  );
}
