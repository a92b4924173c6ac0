import type { UseQueryResult } from '@tanstack/react-query';
import { t } from '../texts.js';
import { qualifiedPlural, type ModelRef } from './models.js';
import { useItems } from './use-items.js';

export interface RelatedObjects extends ModelRef {
  readonly total: number;
  /** The first names; empty when they may not be listed. */
  readonly names: readonly string[];
}

export interface ModelDependents extends RelatedObjects {
  /** The number of them that have another owner as well. */
  readonly shared: number;
}

/** Objects that refer to an object by one field. */
export interface FieldReferrers extends RelatedObjects {
  readonly field: string;
  /** The effect of the object's deletion on them. */
  readonly onDelete: 'restrict' | 'cascade' | 'clear';
}

export function useDependents(model: ModelRef, name: string): UseQueryResult<readonly ModelDependents[]> {
  return useItems('dependents', getUrl('dependents', model, name));
}

/** The referrers of an object, for each field that may refer to it. */
export function useReferrers(model: ModelRef, name: string): UseQueryResult<readonly FieldReferrers[]> {
  return useItems('referrers', getUrl('referrers', model, name));
}

/** The targets of rights to read related objects. */
export const REFERRERS = { group: 'api.platform.run', plural: 'referrers' };
export const DEPENDENTS = { group: 'api.platform.run', plural: 'dependents' };

const LIMIT = '10';

function getUrl(kind: 'dependents' | 'referrers', model: ModelRef, name: string): string {
  const search = new URLSearchParams({ resource: qualifiedPlural(model), name, limit: LIMIT });
  return `/apis/api.platform.run/v1alpha1/${kind}?${search.toString()}`;
}

/** The effects of an object's deletion on its referrers. */
export const EFFECTS: Readonly<Record<FieldReferrers['onDelete'], () => string>> = {
  restrict: () => t`They prevent its deletion.`,
  cascade: () => t`They are deleted with it.`,
  clear: () => t`They lose the reference when it is deleted.`,
};
