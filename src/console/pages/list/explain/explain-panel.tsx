import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getJson } from '../../../api/http.js';
import { getPath } from '../../../api/models.js';
import { formatCount } from '../../../lib/format.js';
import { Bar } from '../../../parts/bar.js';
import { Message } from '../../../parts/long-text.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { useListState } from '../list-context.js';
import { getRequest } from '../parameters.js';

const SOURCES = {
  memory: () => t`from memory`,
  index: () => t`read from the index`,
  records: () => t`checked with index records`,
};

const METHODS = {
  walk: () => t`Walk the index of the order and skip objects that do not match.`,
  ranks: () => t`Pick matches from the order in memory.`,
  sort: () => t`Read the index values of the matches and sort them.`,
  relevance: () => t`Order the matches by their scores.`,
};

/** The service's plan for a list. */
interface Explanation {
  readonly method: keyof typeof METHODS;
  /** Null when the matches are sorted. */
  readonly index: string | null;
  readonly direction: 'asc' | 'desc' | null;
  readonly filters: readonly {
    readonly condition: string;
    readonly from: keyof typeof SOURCES;
    readonly matches: number;
  }[];
  readonly total: number;
  readonly entriesRead: number;
  readonly recordsRead: number;
  readonly objectsRead: number;
  readonly alternatives: readonly {
    readonly method: keyof typeof METHODS;
    /** In index entries; null when it was not possible. */
    readonly cost: number | null;
    readonly reason: string;
  }[];
}

/** The explanation of the list: a diagram from the conditions to the rows, with the reads between them. */
export default function ExplainPanel(): ReactNode {
  const { modelRef, parameters } = useListState();
  const asked = getRequest(parameters);
  asked.set('explain', 'true');
  const url = `${getPath(modelRef)}?${asked.toString()}`;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['explanation', url],
    queryFn: async ({ signal }) => (await getJson(url, signal)) as Explanation,
  });
  return (
    <section className="card stack explain" aria-label={t`Explain`}>
      {data === undefined || error !== null ? (
        <Pending error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Plan explanation={data} />
          <div className="tiles">
            <Reads explanation={data} />
            <Others explanation={data} />
          </div>
          <button type="button" className="quiet add" disabled={isFetching} onClick={() => void refetch()}>
            {t`Explain again`}
          </button>
        </>
      )}
    </section>
  );
}

interface ExplainedProps {
  readonly explanation: Explanation;
}

/** The steps in order. */
function Plan({ explanation }: ExplainedProps): ReactNode {
  const { filters, total, method, objectsRead } = explanation;
  const steps = [
    [t`Exact total`, formatCount(total), totalFrom(explanation)],
    [t`Order`, getOrder(explanation), METHODS[method]()],
    [t`Rows of this page`, formatCount(objectsRead), t`Only these objects are read.`],
  ] as const;
  return (
    <ol className="explain-steps" aria-label={t`Query plan`}>
      <li className="step">
        <h2>{t`Conditions`}</h2>
        {filters.length === 0 && <p>{t`none: all objects`}</p>}
        <ul>
          {filters.map(({ condition, from, matches }) => (
            <li key={condition}>
              <code>{condition}</code>
              <span className="faint">{t`${matches}, ${SOURCES[from]()}`}</span>
            </li>
          ))}
        </ul>
      </li>
      {steps.map(([title, figure, how]) => (
        <li key={title} className="step">
          <h2>{title}</h2>
          <p className="figure">{figure}</p>
          <p className="faint">{how}</p>
        </li>
      ))}
    </ol>
  );
}

function getOrder({ method, index, direction }: Explanation): string {
  if (method === 'relevance') return t`by relevance`;
  return index === null ? t`sorted` : `${index} ${direction === 'desc' ? '↓' : '↑'}`;
}

/** The source of the total: the last step that reads decides. */
function totalFrom({ filters }: Explanation): string {
  if (filters.length === 0) return t`The store keeps the number of all objects.`;
  if (filters.some(({ from }) => from === 'records'))
    return t`Counted with the index records that match the other conditions.`;
  return filters.some(({ from }) => from === 'index') ? t`Counted in the indexes.` : t`Counted in memory.`;
}

/** The number of reads, next to the number of results. */
function Reads({ explanation }: ExplainedProps): ReactNode {
  const { entriesRead, recordsRead, objectsRead, total } = explanation;
  const lines = [
    [t`Index entries read`, entriesRead],
    [t`Index records read`, recordsRead],
    [t`Objects read`, objectsRead],
    [t`Objects that match`, total],
  ] as const;
  const most = Math.max(...lines.map(([, count]) => count), 1);
  return (
    <div>
      <h2>{t`Read and matched`}</h2>
      <dl className="reads stack tight">
        {lines.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className="number">{formatCount(count)}</span>
              <Bar share={count / most} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The alternatives that were not used. */
function Others({ explanation: { alternatives } }: ExplainedProps): ReactNode {
  return (
    <div>
      <h2>{t`Alternatives`}</h2>
      <ul className="lines">
        {alternatives.map(({ method, cost, reason }) => (
          <li key={method}>
            {METHODS[method]()}{' '}
            <span className="faint">
              {cost === null ? (
                <Message>{reason}</Message>
              ) : (
                t`costs as much as reading ${cost} [index entry|index entries]`
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
