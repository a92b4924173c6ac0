import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getPath, type Model, type ModelRef } from '../../../api/models.js';
import { readTable, type FacetValue } from '../../../api/tables.js';
import { formatCount } from '../../../lib/format.js';
import { useSettled } from '../../../lib/use-settled.js';
import { language as pageLanguage } from '../../../language.js';
import { useStore } from '../../../lib/store.js';
import { t } from '../../../texts.js';
import { getConditions, withParameter, type Condition } from '../parameters.js';
import { readFacets } from '../facets/facets.js';
import { getFields, getLanguage, formatLiteral, type Language } from './language.js';
import type { Place } from './place.js';

/** A suggestion at the caret. */
export interface Suggestion {
  /** The text that replaces the typed part. */
  readonly insert: string;
  /** The number of matching objects, or the meaning. */
  readonly note: string;
}

export interface Suggestions {
  /** The offset of the typed part that a suggestion replaces. */
  readonly from: number;
  readonly items: readonly Suggestion[];
}

export interface Suggesting {
  readonly name: Condition;
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
}

const SHOWN_MAX = 30;
const VALUES_MAX = 200;
/** The number of objects that are searched for keys of labels. */
const SAMPLE = '200';
const KEYS_STALE_MS = 60_000;

/** @param before the typed text up to the caret */
export function useSuggestions(asked: Suggesting, before: string, isWanted: boolean): Suggestions {
  const { name, model, modelRef } = asked;
  const keys = useLabelKeys(modelRef, isWanted && name !== 'fieldSelector');
  const language = useMemo(() => getLanguage(name, model, keys), [name, model, keys]);
  const place = useMemo(() => language.place(before), [language, before]);
  const subject = subjectOfValues(language, place);
  const values = useValues(asked, { language, place, subject }, isWanted);
  const spoken = useStore(pageLanguage);
  const items = useMemo(() => suggest(language, place, values), [language, place, values, spoken]);
  return { from: place.from, items: isWanted ? items : [] };
}

/** The label keys of the newest objects, the most frequent first. */
export function useLabelKeys(model: ModelRef, isWanted: boolean): readonly string[] {
  const path = getPath(model);
  const { data } = useQuery({
    queryKey: ['label keys', path],
    queryFn: async ({ signal }) => {
      const request = new URLSearchParams({ limit: SAMPLE, sort: 'metadata.creationTimestamp,desc' });
      const { rows } = await readTable(path, request, signal);
      const counts = new Map<string, number>();
      for (const { object } of rows)
        for (const key of Object.keys(object.metadata.labels ?? {}))
          counts.set(key, (counts.get(key) ?? 0) + 1);
      return [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
    },
    staleTime: KEYS_STALE_MS,
    enabled: isWanted,
  });
  return data ?? NO_KEYS;
}

const NO_KEYS: readonly string[] = [];

/** The subject whose values may follow. */
function subjectOfValues(
  { subjects, member }: Language,
  { wants, subject, typed }: Place,
): string | undefined {
  if (wants === 'value') return subject;
  const isWhole = wants === 'subject' && member !== undefined && subjects.includes(typed);
  return isWhole ? typed : undefined;
}

interface Asked {
  readonly language: Language;
  readonly place: Place;
  readonly subject: string | undefined;
}

/** The values of a subject among the objects of the other conditions. */
function useValues(
  { name, model, modelRef, parameters }: Suggesting,
  { language, place, subject }: Asked,
  isWanted: boolean,
): readonly FacetValue[] {
  const path = getPath(modelRef);
  const field = subject === undefined ? undefined : language.facet(subject);
  const typed = useSettled(place.wants === 'value' ? bare(place.typed) : '');
  const index = getFields(model).find((one) => one.name === field);
  // All names would be too many to choose from; the first characters reduce them.
  const isKnown = index?.unique !== true || typed !== '';
  const request = useMemo(() => {
    const asked = getConditions(withParameter(parameters, name, ''));
    if (place.before !== '') asked.append(name, place.before);
    if (typed !== '' && field !== undefined && (index?.keyType ?? 'string') === 'string') {
      const begins = `startsWith(${formatLiteral(typed, 'string')})`;
      asked.append(
        'filter',
        index?.multi === true ? `${field}.exists(x, x.${begins})` : `${field}.${begins}`,
      );
    }
    return asked.toString();
  }, [parameters, name, place.before, index, field, typed]);
  const { data } = useQuery({
    queryKey: ['facets', path, 'suggestions', request, field],
    queryFn: ({ signal }) =>
      readFacets(path, { conditions: request, fields: [field ?? ''], limit: VALUES_MAX }, signal),
    enabled: isWanted && isKnown && field !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (field !== undefined && isKnown && data?.[field]) || NO_VALUES;
}

const NO_VALUES: readonly FacetValue[] = [];

/** A value without its typed quotes. */
function bare(typed: string): string {
  return typed.replace(/^["']|["']$/g, '').trim();
}

function suggest(language: Language, place: Place, values: readonly FacetValue[]): readonly Suggestion[] {
  return candidates(language, place, values)
    .filter(({ insert }) => insert !== place.typed)
    .slice(0, SHOWN_MAX);
}

function candidates(
  language: Language,
  { wants, typed, subject }: Place,
  values: readonly FacetValue[],
): readonly Suggestion[] {
  switch (wants) {
    case 'subject':
      return [...aboutSubject(language, typed, values), ...subjectsWith(language, typed)];
    case 'operator':
      return language
        .operators(subject)
        .map(({ insert, meaning }) => ({ insert: insert.trimStart(), note: meaning() }))
        .filter(({ insert }) => insert.startsWith(typed));
    case 'value':
      return values
        .map(({ value, count }) => ({
          insert: language.literal(value, subject),
          note: formatCount(count),
        }))
        .filter(({ insert }) => bare(insert).toLowerCase().includes(bare(typed).toLowerCase()));
    case 'end of set':
      return [{ insert: ')', note: t`end of the set` }];
    case 'joint':
      return [
        { insert: '&& ', note: t`and` },
        { insert: '|| ', note: t`or` },
      ];
    case 'nothing':
      return [];
  }
}

function subjectsWith({ subjects }: Language, typed: string): readonly Suggestion[] {
  const lower = typed.toLowerCase();
  return subjects.filter((one) => one.toLowerCase().includes(lower)).map((insert) => ({ insert, note: '' }));
}

/** The continuations after a typed subject. */
function aboutSubject(
  language: Language,
  typed: string,
  values: readonly FacetValue[],
): readonly Suggestion[] {
  const whole = language.subjects.filter((one) => typed.startsWith(one));
  return whole.flatMap((subject) => {
    const members = values.flatMap(({ value, count }) => {
      const insert = subject === typed ? language.member?.(value, subject) : undefined;
      return insert === undefined ? [] : [{ insert, note: formatCount(count) }];
    });
    const operators = language
      .operators(subject)
      .map(({ insert, meaning }) => ({ insert: subject + insert, note: meaning() }))
      .filter(({ insert }) => insert.startsWith(typed));
    return [...members, ...operators];
  });
}
