import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { NotServed } from '../../api/errors.js';
import { getPath, type ModelRef } from '../../api/models.js';
import { readTable, type Table } from '../../api/tables.js';
import { useChanges } from '../../api/watch.js';
import { coalesce } from '../../lib/coalesce.js';
import { getConditions, getRequest } from './parameters.js';

/** Lists that change all the time are read once in so long. */
const PAUSE_MS = 500;
/** Counting values takes longer than reading a page. */
const FACETS_PAUSE_MS = 2_000;
/** Whether a model is served again is asked as often. */
const AWAY_MS = 2_000;

/** A page of a list, as it is now. While its model is not served, it is asked for again and again. */
export function useList(modelRef: ModelRef, parameters: URLSearchParams): UseQueryResult<Table> {
  const client = useQueryClient();
  const path = getPath(modelRef);
  const request = getRequest(parameters).toString();
  const found = useQuery({
    queryKey: ['list', path, request],
    queryFn: ({ signal }) => readTable(path, new URLSearchParams(request), signal),
    placeholderData: keepPreviousData,
  });
  const readAgain = useMemo(() => {
    const again = (of: string, pauseMs: number): (() => void) =>
      coalesce(() => client.invalidateQueries({ queryKey: [of, path] }), pauseMs);
    const parts = [again('list', PAUSE_MS), again('facets', FACETS_PAUSE_MS)];
    return () => {
      for (const part of parts) part();
    };
  }, [client, path]);
  const revision = found.data?.metadata.resourceVersion;
  const watched = { path, parameters: getConditions(parameters), revision, onAway: readAgain };
  useChanges(watched, readAgain);
  const isAway = found.error instanceof NotServed;
  useEffect(() => {
    if (!isAway) return undefined;
    const timer = setInterval(() => {
      for (const queryKey of [['models'], ['list', path]]) void client.invalidateQueries({ queryKey });
    }, AWAY_MS);
    return () => clearInterval(timer);
  }, [isAway, client, path]);
  return found;
}
