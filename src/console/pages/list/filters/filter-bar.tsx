import { useId, useState, type ReactNode } from 'react';
import { getPath } from '../../../api/models.js';
import { KeptText } from '../../../lib/storage.js';
import { t } from '../../../texts.js';
import { NAME_PREFIX, SEARCH, withParameter, type Fault } from '../parameters.js';
import { getChips } from './filter.js';
import { isSearchable, type FilterBarProps } from './filter-bar-props.js';
import { FilterChips } from './filter-chips.js';
import { AddFilter } from './filter-popover.js';
import { getRequirements } from './requirements.js';
import { SearchField } from './search-field.js';
import { TextFields } from './text-fields.js';

/** The search, the conditions as chips, and on request their texts. All of them are in the URL. */
export function FilterBar(props: FilterBarProps): ReactNode {
  const { modelRef, model, parameters, fault, onChange } = props;
  const id = useId();
  const isComplex = getChips(getRequirements(parameters)).some(({ filter }) => filter === undefined);
  const [isOpen, setIsOpen] = useIsOpen(fault, isComplex);
  return (
    <div className="filter-bar" role="search">
      <div className="filter-bar-line">
        <Search {...props} />
        <FilterChips {...props} />
        <AddFilter modelRef={modelRef} model={model} parameters={parameters} onChange={onChange} />
        <div className="filter-bar-end">
          <button
            type="button"
            className="quiet"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t`More filters`}
          </button>
          {props.children}
        </div>
      </div>
      {/* Typed text is kept while they are hidden. */}
      <div id={id} hidden={!isOpen}>
        <TextFields model={model} parameters={parameters} fault={fault} onChange={onChange} />
      </div>
    </div>
  );
}

function Search({ modelRef, model, parameters, fault, onChange }: FilterBarProps): ReactNode {
  if (isSearchable(model) || parameters.has(SEARCH))
    return (
      <SearchField
        key={`${getPath(modelRef)} ${SEARCH}`}
        label={t`Search texts`}
        hint={t`Find words`}
        value={parameters.get(SEARCH) ?? ''}
        problem={fault?.field === SEARCH ? fault.message : undefined}
        read={readWords}
        onApply={(words) => onChange(withParameter(parameters, SEARCH, words))}
      />
    );
  return (
    <SearchField
      key={getPath(modelRef)}
      label={t`Name begins with`}
      hint={t`Name begins with`}
      value={parameters.get(NAME_PREFIX) ?? ''}
      read={readPrefix}
      onApply={(prefix) => onChange(withParameter(parameters, NAME_PREFIX, prefix))}
    />
  );
}

/** A blank after the last word says that the word is complete. */
function readWords(typed: string): string {
  return typed.trim() === '' ? '' : typed;
}

/** Names have lowercase letters only. */
function readPrefix(typed: string): string {
  return typed.trim().toLowerCase();
}

/** Users of selectors need them on every list. */
const kept = new KeptText('localStorage', 'xsvc-more-filters');
const OPEN = 'open';

/** A fault opens the texts, so that its message is seen, and so does a condition that chips cannot show. */
function useIsOpen(
  fault: Fault | undefined,
  isComplex: boolean,
): readonly [boolean, (isOpen: boolean) => void] {
  const [isOpen, setIsOpen] = useState(() => isComplex || kept.get() === OPEN);
  const reason = fault?.message ?? (isComplex ? OPEN : undefined);
  const [known, setKnown] = useState(reason);
  if (reason !== known) {
    setKnown(reason);
    if (reason !== undefined && fault?.field !== SEARCH) setIsOpen(true);
  }
  const choose = (chosen: boolean): void => {
    kept.set(chosen ? OPEN : undefined);
    setIsOpen(chosen);
  };
  return [isOpen, choose];
}
