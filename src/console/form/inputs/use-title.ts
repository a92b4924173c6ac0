import { useQuery } from '@tanstack/react-query';
import { getPath, type Model } from '../../api/models.js';
import { NAMES_MAX, readTitles } from '../../api/titles.js';
import { getModelHints } from '../../lib/hints.js';

interface Batch {
  readonly names: Set<string>;
  readonly titles: Promise<ReadonlyMap<string, string>>;
}

const batches = new Map<string, Batch>();
const PAUSE_MS = 30;
const STALE_MS = 30_000;
/** Until a typed name is complete, its object is not asked for. */
const NAME = /^[a-z\d]([-a-z\d.]*[a-z\d])?$/;

/** The title of one object; a form of many references asks once for all of them. Undefined without one. */
export function useTitle(model: Model | undefined, name: string): string | undefined {
  const hasTitle = model !== undefined && getModelHints(model.schema).title !== undefined;
  const { data } = useQuery({
    queryKey: ['title', model === undefined ? '' : getPath(model), name],
    queryFn: async () => (model === undefined ? null : ((await ask(model, name)).get(name) ?? null)),
    enabled: hasTitle && NAME.test(name),
    staleTime: STALE_MS,
  });
  return data ?? undefined;
}

function ask(model: Model, name: string): Promise<ReadonlyMap<string, string>> {
  const path = getPath(model);
  const known = batches.get(path);
  if (known !== undefined && known.names.size < NAMES_MAX) {
    known.names.add(name);
    return known.titles;
  }
  const names = new Set([name]);
  const titles = new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS)).then(() => {
    if (batches.get(path)?.names === names) batches.delete(path);
    return readTitles(model, [...names]);
  });
  batches.set(path, { names, titles });
  return titles;
}
