import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { getPath, type Model, type ModelRef } from '../../../api/models.js';
import { labelField } from '../../../api/selectors.js';
import { Choice } from '../../../parts/field.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { getFieldTitle, getIndexes } from '../fields.js';
import { useLabelKeys } from '../filters/use-label-keys.js';
import { getConditions, withPart } from '../parameters.js';
import { FacetValues } from './facet-values.js';
import { readFacets } from './facets.js';

interface FacetPanelProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
}

const VALUES_FEW = 10;
const VALUES_MANY = 100;
/** The service's limit of fields in one count. */
const FIELDS_MAX = 10;

/** The values of fields and labels among all listed objects, with their numbers. Pressing one narrows the list. */
export default function FacetPanel({ modelRef, model, parameters, onChange }: FacetPanelProps): ReactNode {
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
  const show = (shown: readonly string[]): void => onChange(withPart(parameters, 'facets', shown.join(',')));
  const hasMore = Object.values(data ?? {}).some(({ length }) => length === VALUES_FEW);
  return (
    <section className="facet-panel" aria-label={t`Values`}>
      <div className="row below">
        <FieldChoice
          modelRef={modelRef}
          model={model}
          shown={fields}
          onChoose={(field) => show([...fields, field])}
        />
        {(hasMore || limit !== VALUES_FEW) && (
          <button
            type="button"
            className="quiet"
            onClick={() => setLimit(limit === VALUES_FEW ? VALUES_MANY : VALUES_FEW)}
          >
            {limit === VALUES_FEW ? t`More values` : t`Fewer values`}
          </button>
        )}
      </div>
      {fields.length === 0 && <p className="faint">{t`Choose a field or a label to count its values.`}</p>}
      {fields.length > 0 && (error !== null || data === undefined) && (
        <Pending error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && (
        <div className="facet-groups" aria-busy={isPlaceholderData}>
          {fields.map((field) => (
            <FacetValues
              key={field}
              field={field}
              model={model}
              values={data[field] ?? []}
              parameters={parameters}
              onChange={onChange}
              onClose={() => show(fields.filter((one) => one !== field))}
            />
          ))}
        </div>
      )}
    </section>
  );
}

/** The facets in a URL. */
function getFacets(parameters: URLSearchParams): readonly string[] {
  const named = parameters.getAll('facets').flatMap((value) => value.split(','));
  return [...new Set(named.map((name) => name.trim()))].filter((name) => name !== '').slice(0, FIELDS_MAX);
}

interface FieldChoiceProps extends Pick<FacetPanelProps, 'modelRef' | 'model'> {
  readonly shown: readonly string[];
  readonly onChoose: (field: string) => void;
}

function FieldChoice({ modelRef, model, shown, onChoose }: FieldChoiceProps): ReactNode {
  const keys = useLabelKeys(modelRef, true);
  const all = useMemo(
    () => [...getIndexes(model).map(({ name }) => name), ...keys.map(labelField)],
    [model, keys],
  );
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
