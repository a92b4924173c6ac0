import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getJson } from '../../../api/http.js';
import { objectPath, useModel } from '../../../api/models.js';
import type { StoredObject } from '../../../api/objects.js';
import { useMay } from '../../../api/platform/rights.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { getPlaceTitle } from '../../list/fields.js';
import { useRecord } from '../record.js';
import { HistoryEntry } from './history-entry.js';
import { findUndo, type HistoryItem, type HistoryPage } from './history.js';
import { CompareDialog, UndoDialog } from './past-dialogs.js';

const LIMIT = 50;

interface HistoryViewProps {
  /** Undefined when the object is deleted. */
  readonly live: StoredObject | undefined;
}

/** The requested action: it does not change when others write meanwhile. */
interface Asked {
  /** The revision of the written state. */
  readonly revision: string;
  readonly isUndo: boolean;
}

/** The history of an object, as far as the user may read it. */
export default function HistoryView({ live }: HistoryViewProps): ReactNode {
  const { modelRef, name } = useRecord();
  const { group, plural } = modelRef;
  const mayRead = useMay('get', { group, plural: `${plural}/history` }, name);
  if (!mayRead) return <p className="faint">{t`You may not read the history of this object.`}</p>;
  return <Changes live={live} />;
}

/** The changes of an object, newest first, and the actions to go back. */
function Changes({ live }: HistoryViewProps): ReactNode {
  const { modelRef, name } = useRecord();
  const model = useModel(modelRef);
  const path = objectPath(modelRef, name);
  const mayWrite = useMay(live === undefined ? 'create' : 'update', modelRef, live && name);
  const [asked, setAsked] = useState<Asked>();
  const [compared, setCompared] = useState<readonly string[]>([]);
  const [isComparing, setIsComparing] = useState(false);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['history', path],
    queryFn: async ({ pageParam, signal }) => {
      const search = new URLSearchParams({ limit: String(LIMIT), ...(pageParam && { continue: pageParam }) });
      return (await getJson(`${path}/history?${search.toString()}`, signal)) as HistoryPage;
    },
    initialPageParam: '',
    getNextPageParam: ({ metadata }) => metadata.continue,
  });
  if (data === undefined) return <Pending error={error} onRetry={() => void refetch()} />;
  const items = data.pages.flatMap((page) => page.items);
  const undo = findUndo(items, live);
  const [first] = data.pages;
  return (
    <>
      {items.length === 0 && <p className="empty">{t`The log has no changes of this object.`}</p>}
      {items.length > 1 && (
        <div className="actions below">
          <button
            type="button"
            aria-disabled={compared.length < 2}
            onClick={() => compared.length === 2 && setIsComparing(true)}
          >
            {t`Compare two states`}
          </button>
          <span className="faint">
            {compared.length === 0
              ? t`Choose two states to compare them.`
              : t`${compared.length} of 2 chosen`}
          </span>
        </div>
      )}
      <ol className="timeline card below record-history">
        {items.map((item, i) => {
          const { resourceVersion: revision, verb } = item;
          const isUndo = item === undo;
          const others = compared.filter((one) => one !== revision);
          // The newest change is undone; for an older one the state after it is restored.
          const restore = i === 0 ? undefined : 'restore';
          return (
            <HistoryEntry
              key={revision}
              item={item}
              nameOf={(path) => getPlaceTitle(model, path)}
              isMore={isSameGroup(items[i - 1], item)}
              choice={
                verb !== 'delete' &&
                items.length > 1 && (
                  <input
                    type="checkbox"
                    aria-label={t`Compare revision ${revision}`}
                    checked={compared.includes(revision)}
                    onChange={({ target }) =>
                      setCompared(target.checked ? [...others, revision].slice(-2) : others)
                    }
                  />
                )
              }
              action={mayWrite ? (isUndo ? 'undo' : restore) : undefined}
              onAct={() => setAsked({ revision: isUndo ? String(Number(revision) - 1) : revision, isUndo })}
            />
          );
        })}
      </ol>
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t`Show older changes`}
        </button>
      )}
      {first !== undefined && !hasNextPage && items.at(-1)?.verb !== 'create' && (
        <p className="faint">{t`The log goes back to revision ${first.metadata.oldest}.`}</p>
      )}
      {isComparing && (
        <CompareDialog path={path} revisions={compared} onClose={() => setIsComparing(false)} />
      )}
      {asked !== undefined && (
        <UndoDialog path={path} live={live} {...asked} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

/** True when one user made both within a minute. */
function isSameGroup(before: HistoryItem | undefined, item: HistoryItem): boolean {
  return before?.user === item.user && before?.time.slice(0, MINUTE) === item.time.slice(0, MINUTE);
}

const MINUTE = 'yyyy-mm-ddThh:mm'.length;
