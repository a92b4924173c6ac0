import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getPath } from '../../../api/models.js';
import { labelField } from '../../../api/selectors.js';
import { Choice } from '../../../parts/field.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { getFieldTitle, getIndexes } from '../fields.js';
import { useLabelKeys } from '../filters/use-label-keys.js';
import { useListState } from '../list-context.js';
import { getConditions, withValues } from '../parameters.js';
import { FacetValues } from './facet-values.js';
import { readFacets } from './facets.js';

const VALUES_FEW = 10;
const VALUES_MANY = 100;
/** The service's limit of fields in one count. */
const FIELDS_MAX = 10;

/** The values of fields and labels among all listed objects, with their numbers. Pressing one narrows the list. */
export default function FacetPanel(): ReactNode {
  const { modelRef, parameters, onChange } = useListState();
  const [limit, setLimit] = useState(VALUES_FEW);
  const path = getPath(modelRef);
  const fields = getFacets(parameters);
  const conditions = getConditions(parameters).toString();
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ['facets', path, conditions, fields.join(), limit],
    queryFn: ({ signal }) => readFacets(path, { conditions, fields, limit }, signal),
    placeholderData: keepPreviousData,
    enabled: fields.length > 0,
  });
  const show = (shown: readonly string[]): void =>
    onChange(withValues(parameters, { facets: shown.join(',') }));
  const isFew = limit === VALUES_FEW;
  const hasMore = Object.values(data ?? {}).some(({ length }) => length === VALUES_FEW);
  return (
    <section aria-label={t`Values`}>
      <div className="row below">
        <FieldChoice shown={fields} onChoose={(field) => show([...fields, field])} />
        {(hasMore || !isFew) && (
          <button type="button" className="quiet" onClick={() => setLimit(isFew ? VALUES_MANY : VALUES_FEW)}>
            {isFew ? t`More values` : t`Fewer values`}
          </button>
        )}
      </div>
      {fields.length === 0 && <p className="faint">{t`Choose a field or a label to count its values.`}</p>}
      {fields.length > 0 && (error !== null || data === undefined) && (
        <Pending error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && (
        <div className="tiles tiles-narrow" aria-busy={isPlaceholderData}>
          {fields.map((field) => (
            <FacetValues
              key={field}
              field={field}
              values={data[field] ?? []}
              onClose={() => show(fields.filter((one) => one !== field))}
            />
          ))}
        </div>
      )}
    </section>
  );
}

function getFacets(parameters: URLSearchParams): readonly string[] {
  const named = parameters.getAll('facets').flatMap((value) => value.split(','));
  return [...new Set(named.map((name) => name.trim()))].filter((name) => name !== '').slice(0, FIELDS_MAX);
}

interface FieldChoiceProps {
  readonly shown: readonly string[];
  readonly onChoose: (field: string) => void;
}

function FieldChoice({ shown, onChoose }: FieldChoiceProps): ReactNode {
  const { modelRef, model } = useListState();
  const keys = useLabelKeys(modelRef);
  const all = [...getIndexes(model).map(({ name }) => name), ...keys.map(labelField)];
  const others = all.filter((field) => !shown.includes(field));
  return (
    <Choice
      label={t`Count values of`}
      value=""
      choices={[['', t`choose…`], ...others.map((field) => [field, getFieldTitle(model, field)] as const)]}
      className="line"
      isDisabled={others.length === 0 || shown.length >= FIELDS_MAX}
      onChange={onChoose}
    />
  );
}
