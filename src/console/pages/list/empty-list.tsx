import type { ReactNode } from 'react';
import type { Model, ModelRef } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { humanize } from '../../lib/naming.js';
import { formatCreateRoute, getList } from '../../routes/route.js';
import { t } from '../../texts.js';
import { getRequirements, withoutRequirement } from './filters/requirements.js';
import { ImportButton } from './import/import-button.js';
import { getConditions } from './parameters.js';

interface EmptyListProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** Replaces the rows of a list without any, and offers what can be done. */
export function EmptyList({ modelRef, model, parameters, onChange }: EmptyListProps): ReactNode {
  const mayCreate = useMayDo()('create', modelRef);
  if (getConditions(parameters).size > 0) {
    const last = getRequirements(parameters).at(-1);
    return (
      <div className="empty-list">
        <p>{t`No matches.`}</p>
        <div className="empty-list-actions">
          {last !== undefined && (
            <button
              type="button"
              className="primary"
              onClick={() => onChange(withoutRequirement(parameters, last))}
            >
              {t`Remove last filter`}
            </button>
          )}
          <a className="button" href={getList(modelRef)}>{t`Clear filters`}</a>
        </div>
      </div>
    );
  }
  const kind = humanize(model?.kind ?? modelRef.plural).toLowerCase();
  return (
    <div className="empty-list">
      <p>{t`No objects yet.`}</p>
      {mayCreate && (
        <div className="empty-list-actions">
          <a className="button primary" href={formatCreateRoute(modelRef, 'form')}>
            {t`Create the first ${kind}`}
          </a>
          {model !== undefined && <ImportButton model={model} />}
        </div>
      )}
    </div>
  );
}
