import { useEffect, useRef, useState } from 'react';
import { useIsLive } from '../../api/live.js';
import { storedModels, useModels } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { useStore } from '../../lib/store.js';
import { ChangeFeed, type RecentChanges } from './change-feed.js';

/** The last changes of the store, while the page is visible. */
export function useRecentChanges(): RecentChanges {
  const [feed] = useState(() => new ChangeFeed());
  const isLive = useIsLive();
  const mayDo = useMayDo();
  const models = storedModels(useModels().data ?? []).filter(
    (model) => mayDo('list', model) && mayDo('watch', model),
  );
  const latest = useRef(models);
  useEffect(() => {
    latest.current = models;
  });
  const isOn = isLive && models.length > 0;
  useEffect(() => {
    if (!isOn) return undefined;
    const stop = new AbortController();
    void feed.follow(() => latest.current, stop.signal);
    return () => stop.abort();
  }, [feed, isOn]);
  return useStore(feed.recent);
}
