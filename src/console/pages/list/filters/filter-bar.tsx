import { useId, useState, type ReactNode } from 'react';
import { getPath } from '../../../api/models.js';
import { KeptText } from '../../../lib/storage.js';
import { CompactLabel } from '../../../parts/icon.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { t } from '../../../texts.js';
import { getUsualFacets } from '../facets/facets.js';
import { isSearchable } from '../fields.js';
import { useListState } from '../list-context.js';
import { ListPopover } from '../list-popover.js';
import { NAME_PREFIX, SEARCH, withParameter, withValues, type Fault } from '../parameters.js';
import { ConditionField } from './condition-field.js';
import { getChips } from './filter.js';
import { FilterChips } from './filter-chips.js';
import { FilterPopover } from './filter-popover.js';
import { getRequirements } from './requirements.js';
import { TextFields, type FaultProps } from './text-fields.js';

const ColumnsMenu = lazyPart(() => import('../columns/columns-menu.js'));

/** The search, the conditions as chips, and on request their texts. All of them are in the URL. */
export function FilterBar({ fault }: FaultProps): ReactNode {
  const { model, parameters, onChange } = useListState();
  const id = useId();
  const isComplex = getChips(getRequirements(parameters)).some(({ filter }) => filter === undefined);
  const [isOpen, setIsOpen] = useIsOpen(fault, isComplex);
  const hasFacets = parameters.has('facets');
  return (
    <div className="filter-bar" role="search">
      <div className="row filter-bar-line">
        <Search fault={fault} />
        <FilterChips />
        <FilterPopover label={t`+ Filter`} className="quiet" />
        <div className="row end filter-bar-end">
          <button
            type="button"
            className="quiet"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setIsOpen(!isOpen)}
          >
            <CompactLabel name="filter">{t`More filters`}</CompactLabel>
          </button>
          <button
            type="button"
            className="quiet"
            aria-expanded={hasFacets}
            onClick={() =>
              onChange(withValues(parameters, { facets: hasFacets ? undefined : getUsualFacets(model) }))
            }
          >
            <CompactLabel name="chart">{t`Values`}</CompactLabel>
          </button>
          <ListPopover
            label={<CompactLabel name="columns">{t`Columns`}</CompactLabel>}
            className="quiet"
            name={t`Columns`}
            placement="bottom end"
          >
            <ColumnsMenu />
          </ListPopover>
        </div>
      </div>
      {/* Typed text is kept while they are hidden. */}
      <div id={id} hidden={!isOpen}>
        <TextFields fault={fault} />
      </div>
    </div>
  );
}

function Search({ fault }: FaultProps): ReactNode {
  const { modelRef, model, parameters, onChange } = useListState();
  const hasWords = isSearchable(model) || parameters.has(SEARCH);
  const name = hasWords ? SEARCH : NAME_PREFIX;
  return (
    <ConditionField
      isSearch
      key={`${getPath(modelRef)} ${name}`}
      label={hasWords ? t`Search texts` : t`Name begins with`}
      hint={hasWords ? t`Find words` : t`Name begins with`}
      value={parameters.get(name) ?? ''}
      problem={hasWords && fault?.field === SEARCH ? fault.message : undefined}
      read={hasWords ? readWords : readPrefix}
      onApply={(value) => onChange(withParameter(parameters, name, value))}
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
