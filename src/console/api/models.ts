import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { arrayAt } from '../lib/json.js';
import type { JsonObject } from '../lib/json.js';
import { useStore } from '../lib/store.js';
import { language } from '../language.js';
import { getJson } from './http.js';
import { localizeModels } from './localize.js';

/** Identifies a model, as in its URL. */
export interface ModelRef {
  /** May be empty. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface Column {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: string;
  readonly priority?: number;
  /** In the language of the page; absent when the model has it in no other language than its own. */
  readonly title?: string;
}

export interface Index {
  readonly name: string;
  readonly keyType: 'string' | 'boolean' | 'integer' | 'long' | 'number' | 'instant' | 'text';
  /** True when an object may have several values in it. */
  readonly multi: boolean;
  /** True when no two objects have the same value. */
  readonly unique: boolean;
  readonly order: 'ASC' | 'DESC';
  /** True when it contains few objects, so that lists cannot be sorted by it. */
  readonly sparse: boolean;
}

/** A model in the service's description. */
export interface Model extends ModelRef {
  readonly kind: string;
  readonly singular: string;
  /** The name of one object in the language of the page; absent when the hints of the model have none. */
  readonly kindTitle?: string;
  readonly columns: readonly Column[];
  readonly schema: JsonObject;
  readonly indexes: readonly Index[];
  readonly storageVersion: string;
  /** Present when it shows the objects of a model of another group, which it names. */
  readonly storedGroup?: string;
  /** Their ids, in order. */
  readonly migrations?: readonly string[];
  /** The replacement of this version. */
  readonly deprecated?: string;
}

export const MODELS_URL = '/apis/api.platform.run/v1alpha1/models';
const STALE_MS = 15_000;

async function readModels(signal: AbortSignal): Promise<readonly Model[]> {
  const models = arrayAt(await getJson(MODELS_URL, signal), 'items') as readonly Model[];
  // In the group of another model, the same objects would be listed twice.
  return models.filter(({ storedGroup }) => storedGroup === undefined);
}

/** The models with their texts in the language of the page. */
export function useModels(): UseQueryResult<readonly Model[]> {
  const spoken = useStore(language);
  const select = useCallback((models: readonly Model[]) => localizeModels(models, spoken), [spoken]);
  return useQuery({
    select,
    queryKey: ['models'],
    queryFn: ({ signal }) => readModels(signal),
    staleTime: STALE_MS,
    refetchInterval: STALE_MS,
  });
}

/** Undefined while it is unknown, and when it does not exist. */
export function useModel(ref: ModelRef): Model | undefined {
  return useModels().data?.find(
    ({ group, version, plural }) => group === ref.group && version === ref.version && plural === ref.plural,
  );
}

export function getPath({ group, version, plural }: ModelRef): string {
  const root = group === '' ? '/api' : `/apis/${encodeURIComponent(group)}`;
  return `${root}/${encodeURIComponent(version)}/${encodeURIComponent(plural)}`;
}

export function objectPath(model: ModelRef, name: string): string {
  return `${getPath(model)}/${encodeURIComponent(name)}`;
}

export function getApiVersion({ group, version }: ModelRef): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The word for a number of objects of a model. */
export function getNoun({ singular, plural }: Pick<Model, 'singular' | 'plural'>, count: number): string {
  return count === 1 ? singular : plural;
}

/** The name of a model when groups may share a plural. */
export function qualifiedPlural({ group, plural }: Pick<ModelRef, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** True for models of the platform, which follow those of plugins. */
export function isOfPlatform({ group }: Pick<ModelRef, 'group'>): boolean {
  return /(^|\.)platform\.run$/.test(group);
}

/** True for the kinds of Kubernetes that the service has itself; a definition may use such a group, too. */
export function isOfKubernetes({ group }: Pick<ModelRef, 'group'>): boolean {
  return group === '' || /(^|\.)k8s\.io$/.test(group);
}

/** Each model once, those of plugins first. */
export function storedModels(models: readonly Model[]): readonly Model[] {
  const stored = models.filter(({ version, storageVersion }) => version === storageVersion);
  const getOrder = (model: Model): number => (isOfPlatform(model) ? 2 : isOfKubernetes(model) ? 1 : 0);
  return [...stored].sort((a, b) => getOrder(a) - getOrder(b));
}
