import { useEffect, useRef } from 'react';
import { readLines } from '../../client/programs/lines.js';
import { pause } from '../lib/coalesce.js';
import { isObject, objectAt } from '../lib/json.js';
import { useIsLive } from './live.js';
import { askForToken, session } from '../session/session.js';
import { untilOnline } from './connection.js';
import { ApiError, getError, NotServed, Unreachable } from './errors.js';
import { send } from './http.js';
import { readTable } from './tables.js';

const AGAIN_MS = 1_000;
/** The delay after a refusal, which will not change soon. */
const REFUSED_MS = 15_000;
/** Rows without objects: only the fact of a change matters here. */
const ROWS = 'application/json;as=Table;v=v1;g=meta.k8s.io';

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
    const { signal } = stop;
    const source = { path, search, shown: () => latest.current.revision ?? '' };
    void keepFollowing(source, signal, {
      onChange: () => latest.current.onChange(),
      onAway: () => latest.current.onAway?.(),
    });
    return () => stop.abort();
  }, [path, search, isOn]);
}

interface Source {
  readonly path: string;
  readonly search: string;
  /** The displayed revision. */
  readonly shown: () => string;
}

interface Listener {
  readonly onChange: () => void;
  readonly onAway: () => void;
}

async function keepFollowing(
  source: Source,
  signal: AbortSignal,
  { onChange, onAway }: Listener,
): Promise<void> {
  // The displayed revision when the log did not go back so far, and the revision to follow instead.
  let expired: { readonly shown: string; readonly now: string } | undefined;
  let { search } = source;
  while (!signal.aborted) {
    let waitMs = AGAIN_MS;
    const shown = source.shown();
    try {
      const from = shown === expired?.shown ? expired.now : shown;
      await follow(watchUrl({ ...source, search }, from), signal, onChange);
    } catch (error) {
      if (error instanceof Unreachable) await untilOnline(signal);
      else if (error instanceof ApiError && error.code === 410) {
        // The displayed state is read again, and may be as old as before: it is followed from a revision that was read earlier.
        expired = { shown, now: (await revisionNow(source, signal)) ?? shown };
        onChange();
      }
      // It may be available soon: requests continue at the same rate.
      else if (error instanceof NotServed) onAway();
      else if (error instanceof ApiError && error.code === 400 && search !== '') {
        // Some conditions are only for lists, such as those on the targets of references: then every change counts.
        search = '';
        waitMs = 0;
      } else if (error instanceof ApiError && error.code < 500) waitMs = REFUSED_MS;
    }
    await pause(waitMs, signal);
  }
}

function watchUrl({ path, search }: Source, revision: string): string {
  const query = new URLSearchParams(search);
  query.set('watch', 'true');
  query.set('includeObject', 'None');
  query.set('resourceVersion', revision);
  return `${path}?${query.toString()}`;
}

/** The revision of the store; undefined when the service does not return it. */
async function revisionNow({ path, search }: Source, signal: AbortSignal): Promise<string | undefined> {
  const parameters = new URLSearchParams(search);
  parameters.set('limit', '1');
  try {
    return (await readTable(path, parameters, signal)).metadata.resourceVersion;
  } catch {
    return undefined;
  }
}

/** Resolves when the stream ends. @throws ApiError, Unreachable */
async function follow(url: string, signal: AbortSignal, onChange: () => void): Promise<void> {
  const { token } = session.get();
  const { body } = await send(url, { signal, headers: { Accept: ROWS } });
  for await (const line of readLines(body)) {
    const event: unknown = line === '' ? undefined : JSON.parse(line);
    if (!isObject(event)) continue;
    if (event.type !== 'ERROR') {
      onChange();
      continue;
    }
    const code = Number(objectAt(event, 'object').code);
    if (code === 401) askForToken(token);
    throw getError(code, event.object);
  }
}
