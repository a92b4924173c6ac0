import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getPath, type ModelRef } from '../../../../api/models.js';
import type { FacetValue } from '../../../../api/tables.js';
import { useSettled } from '../../../../lib/use-settled.js';
import { readFacets } from '../../facets/facets.js';
import { getConditions } from '../../parameters.js';
import { formatFilter } from '../format-filter.js';
import type { FilterField } from '../operators.js';

interface Asked {
  readonly modelRef: ModelRef;
  readonly parameters: URLSearchParams;
  readonly field: FilterField;
}

const VALUES_MAX = 50;
const NO_VALUES: readonly FacetValue[] = [];

/** The values of a field among the objects of the other conditions, with their numbers. */
export function useFieldValues({ modelRef, parameters, field }: Asked, typed: string): readonly FacetValue[] {
  const path = getPath(modelRef);
  const { index } = field;
  const settled = useSettled(typed.trim());
  const conditions = getConditions(parameters);
  const isText = (index?.keyType ?? 'string') === 'string';
  if (settled !== '' && isText)
    for (const { of, text } of formatFilter(
      { field: field.field, operator: 'begins', values: [settled] },
      index,
    ))
      conditions.append(of, text);
  const request = conditions.toString();
  // All values of a unique field would be too many to choose from; the first characters reduce them.
  const isWanted = isText && (index?.unique !== true || settled !== '');
  const { data } = useQuery({
    queryKey: ['facets', path, 'suggestions', request, field.field],
    queryFn: ({ signal }) =>
      readFacets(path, { conditions: request, fields: [field.field], limit: VALUES_MAX }, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (isWanted && data?.[field.field]) || NO_VALUES;
}
