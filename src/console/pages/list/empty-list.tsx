import type { ReactNode } from 'react';
import { useMay } from '../../api/platform/rights.js';
import { getKindInText } from '../../lib/naming.js';
import { EmptyState } from '../../parts/empty-state.js';
import { formatCreateRoute, getList } from '../../routes/route.js';
import { t } from '../../texts.js';
import { getRequirements, withRequirements } from './filters/requirements.js';
import { ImportButton } from './import/import-button.js';
import { useListState } from './list-context.js';
import { getConditions } from './parameters.js';

/** Replaces the rows of a list without any, and offers what can be done. */
export function EmptyList(): ReactNode {
  const { modelRef, model, parameters, onChange } = useListState();
  const mayCreate = useMay('create', modelRef);
  const isFiltered = getConditions(parameters).size > 0;
  const last = getRequirements(parameters).slice(-1);
  const kind = getKindInText(modelRef, model);
  return (
    <EmptyState icon={isFiltered ? 'search' : 'list'} text={isFiltered ? t`No matches.` : t`No objects yet.`}>
      {isFiltered && last.length > 0 && (
        <button
          type="button"
          className="primary"
          onClick={() => onChange(withRequirements(parameters, last, []))}
        >
          {t`Remove last filter`}
        </button>
      )}
      {isFiltered && <a className="button" href={getList(modelRef)}>{t`Clear filters`}</a>}
      {!isFiltered && mayCreate && (
        <a className="button primary" href={formatCreateRoute(modelRef, 'form')}>
          {t`Create the first ${kind}`}
        </a>
      )}
      {!isFiltered && mayCreate && model !== undefined && <ImportButton model={model} />}
    </EmptyState>
  );
}
