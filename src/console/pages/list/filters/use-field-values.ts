import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getPath } from '../../../api/models.js';
import type { FacetValue } from '../../../api/tables.js';
import { useSettled } from '../../../lib/use-settled.js';
import { readFacets } from '../facets/facets.js';
import { useListState } from '../list-context.js';
import { getConditions } from '../parameters.js';
import { formatFilter } from './format-filter.js';
import type { FilterField } from './operators.js';

const VALUES_MAX = 50;
const NO_VALUES: readonly FacetValue[] = [];

/** The values of a field among the objects of the other conditions, with their numbers. */
export function useFieldValues({ field, index }: FilterField, typed: string): readonly FacetValue[] {
  const { modelRef, parameters } = useListState();
  const path = getPath(modelRef);
  const begin = useSettled(typed.trim());
  const conditions = getConditions(parameters);
  const isText = (index?.keyType ?? 'string') === 'string';
  if (begin !== '' && isText)
    for (const { of, text } of formatFilter({ field, operator: 'begins', values: [begin] }, index))
      conditions.append(of, text);
  const request = conditions.toString();
  // All values of a unique field would be too many to choose from; the first characters reduce them.
  const isWanted = isText && (index?.unique !== true || begin !== '');
  const { data } = useQuery({
    queryKey: ['facets', path, 'suggestions', request, field],
    queryFn: ({ signal }) =>
      readFacets(path, { conditions: request, fields: [field], limit: VALUES_MAX }, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (isWanted && data?.[field]) || NO_VALUES;
}
