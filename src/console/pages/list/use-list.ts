import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { NotServed } from '../../api/errors.js';
import { getPath, type ModelRef } from '../../api/models.js';
import { readTable, type Table } from '../../api/tables.js';
import { useChanges } from '../../api/watch.js';
import { coalesce } from '../../lib/coalesce.js';
import { useLast } from '../../lib/use-last.js';
import { getRequest, getWatched } from './parameters.js';

/** The minimum interval between reads of a list. */
const PAUSE_MS = 500;
/** The interval for facets, because counting takes longer than reading a page. */
const FACETS_PAUSE_MS = 2_000;
/** The interval of checks if a model is served again. */
const AWAY_MS = 2_000;

interface ListedPage {
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly table: Table;
}

interface UsedList {
  /** The last page that could be read; undefined before the first one. */
  readonly shown: ListedPage | undefined;
  /** True when it is not the requested page: that is being loaded, or was rejected. */
  readonly isOld: boolean;
  /** Null without one. */
  readonly error: Error | null;
  readonly retry: () => void;
}

/**
 * A page of a list, kept up to date. While its model is not served, it is requested repeatedly.
 * @param isWhole true when the rows must have their whole objects
 */
export function useList(modelRef: ModelRef, parameters: URLSearchParams, isWhole: boolean): UsedList {
  const client = useQueryClient();
  const path = getPath(modelRef);
  const asked = getRequest(parameters);
  if (isWhole) asked.set('includeObject', 'Object');
  const request = asked.toString();
  const found = useQuery({
    queryKey: ['list', path, request],
    queryFn: ({ signal }) => readTable(path, new URLSearchParams(request), signal),
  });
  const readAgain = useMemo(() => {
    const again = (of: string, pauseMs: number): (() => void) =>
      coalesce(() => client.invalidateQueries({ queryKey: [of, path] }), pauseMs);
    const parts = [again('list', PAUSE_MS), again('facets', FACETS_PAUSE_MS)];
    return () => {
      for (const part of parts) part();
    };
  }, [client, path]);
  const table = found.data;
  const current = useMemo(
    () => (table === undefined ? undefined : { path, parameters, table }),
    [table, path, parameters],
  );
  const last = useLast(current);
  const shown = last?.path === path ? last : undefined;
  const isOld = current === undefined;
  // The watch continues while another page is loading; wrong conditions cannot be watched.
  const revision =
    found.error === null ? shown?.table.metadata.resourceVersion : table?.metadata.resourceVersion;
  const watched = { path, parameters: getWatched(parameters), revision, onAway: readAgain };
  useChanges(watched, readAgain);
  const isAway = found.error instanceof NotServed;
  useEffect(() => {
    if (!isAway) return undefined;
    const timer = setInterval(() => {
      for (const queryKey of [['models'], ['list', path]]) void client.invalidateQueries({ queryKey });
    }, AWAY_MS);
    return () => clearInterval(timer);
  }, [isAway, client, path]);
  return { shown, isOld, error: found.error, retry: () => void found.refetch() };
}
