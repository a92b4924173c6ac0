import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getPath, type Model } from '../api/models.js';
import { useServiceSamples } from '../api/platform/service-samples.js';
import { readTotal } from '../api/tables.js';
import { formatCount } from '../lib/format.js';

const AGAIN_MS = 5_000;

interface ObjectCountProps {
  readonly model: Model;
  readonly everyMs?: number;
}

/**
 * The number of objects: from the metrics, which cover all models in one request, or by a separate request when they are not
 * allowed.
 */
export function ObjectCount({ model, everyMs = AGAIN_MS }: ObjectCountProps): ReactNode {
  const samples = useServiceSamples(everyMs);
  const { group, version, kind } = model;
  const measured = samples.data?.value('xsvc_objects', { group, version, kind });
  const { data: counted } = useQuery({
    queryKey: ['count', getPath(model)],
    queryFn: ({ signal }) => readTotal(getPath(model), signal),
    enabled: measured === undefined && !samples.isLoading,
    refetchInterval: everyMs,
  });
  return <Count count={measured ?? counted} />;
}

/** @param count undefined while it is unknown */
export function Count({ count }: { readonly count: number | undefined }): ReactNode {
  return <span className="number">{count === undefined ? '–' : formatCount(count)}</span>;
}
