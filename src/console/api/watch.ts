import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { coalesce, pause } from '../lib/coalesce.js';
import { useIsLive } from './live.js';
import { askForToken, session } from '../session/session.js';
import { untilOnline } from './connection.js';
import { ApiError, NotServed, Unreachable } from './errors.js';
import { readTable, watchRows } from './tables.js';

const AGAIN_MS = 1_000;
/** The delay after a refusal, which will not change soon. */
const REFUSED_MS = 15_000;

export interface Watched {
  /** The path of a model's objects, or of one object. */
  readonly path: string;
  /** The selection, as in a list. */
  readonly parameters?: URLSearchParams;
  /** The displayed revision; undefined while nothing is displayed. */
  readonly revision: string | undefined;
  /** Called while the model is not served. */
  readonly onAway?: () => void;
}

/**
 * Calls as soon as a change is newer than the displayed state. An interrupted watch continues from there, so no change is missed. A
 * hidden page has no watch: browsers have few connections for all of their tabs.
 */
export function useChanges({ path, parameters, revision, onAway }: Watched, onChange: () => void): void {
  const latest = useRef({ revision, onChange, onAway });
  useEffect(() => {
    latest.current = { revision, onChange, onAway };
  });
  const isOn = useIsLive() && revision !== undefined;
  const search = parameters?.toString() ?? '';
  useEffect(() => {
    if (!isOn) return undefined;
    const stop = new AbortController();
    void keepFollowing({
      path,
      search,
      signal: stop.signal,
      getShown: () => latest.current.revision ?? '',
      onChange: () => latest.current.onChange(),
      onAway: () => latest.current.onAway?.(),
    });
    return () => stop.abort();
  }, [path, search, isOn]);
}

/** The shortest time between two reads after changes. */
const PAUSE_MS = 300;

/** Reads queries again when a change is newer than the displayed state. @param keys of the queries */
export function useFollowed(watched: Watched, keys: readonly (readonly string[])[]): void {
  const client = useQueryClient();
  const readAgain = useMemo(
    () =>
      coalesce(() => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey }))), PAUSE_MS),
    [client, JSON.stringify(keys)],
  );
  useChanges(watched, readAgain);
}

interface Following {
  readonly path: string;
  readonly search: string;
  readonly signal: AbortSignal;
  /** The displayed revision. */
  readonly getShown: () => string;
  readonly onChange: () => void;
  readonly onAway: () => void;
}

async function keepFollowing(following: Following): Promise<void> {
  const { path, signal, getShown, onChange, onAway } = following;
  // The displayed revision when the log did not go back so far, and the revision to follow instead.
  let expired: { readonly shown: string; readonly now: string } | undefined;
  let query = new URLSearchParams(following.search);
  while (!signal.aborted) {
    let waitMs = AGAIN_MS;
    const shown = getShown();
    const { token } = session.get();
    try {
      const from = new URLSearchParams(query);
      from.set('resourceVersion', shown === expired?.shown ? expired.now : shown);
      for await (const _change of watchRows(path, from, signal)) onChange();
    } catch (error) {
      if (error instanceof Unreachable) await untilOnline(signal);
      // It may be available soon: requests continue at the same rate.
      else if (error instanceof NotServed) onAway();
      else if (error instanceof ApiError) {
        const { code } = error;
        if (code === 401) askForToken(token);
        if (code === 410) {
          // The displayed state is read again, and may be as old as before: it is followed from a revision that was read earlier.
          expired = { shown, now: (await readRevision(path, query, signal)) ?? shown };
          onChange();
        } else if (code === 400 && query.size > 0) {
          // Some conditions are only for lists, such as those on the targets of references: then every change counts.
          query = new URLSearchParams();
          waitMs = 0;
        } else if (code < 500) waitMs = REFUSED_MS;
      }
    }
    await pause(waitMs, signal);
  }
}

/** The revision of the store; undefined when the service does not return it. */
async function readRevision(
  path: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<string | undefined> {
  const parameters = new URLSearchParams(query);
  parameters.set('limit', '1');
  try {
    return (await readTable(path, parameters, signal)).metadata.resourceVersion;
  } catch {
    return undefined;
  }
}
