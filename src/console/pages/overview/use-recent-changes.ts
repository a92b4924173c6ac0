import { useEffect, useRef, useState } from 'react';
import { useModels, type Model } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { useStore } from '../../lib/store.js';
import { useIsLive } from '../../api/live.js';
import { ChangeFeed, type RecentChanges } from './change-feed.js';

/** The last changes of the store, while the page is visible. */
export function useRecentChanges(): RecentChanges {
  const [feed] = useState(() => new ChangeFeed());
  const isLive = useIsLive();
  const models = useWatchable();
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

/** Each model that may be watched, once. */
function useWatchable(): readonly Model[] {
  const models = useModels().data ?? [];
  const mayDo = useMayDo();
  return models.filter(
    (model) => model.version === model.storageVersion && mayDo('list', model) && mayDo('watch', model),
  );
}
