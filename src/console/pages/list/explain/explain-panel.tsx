import type { ReactNode } from 'react';
import { formatCount } from '../../../lib/format.js';
import { Message } from '../../../parts/long-text.js';
import { Pending } from '../../../parts/notice.js';
import { Bar } from '../../../parts/bar.js';
import { t } from '../../../texts.js';
import { useListState } from '../list-context.js';
import { getRequest } from '../parameters.js';
import { useExplanation, type Explanation } from './explanation.js';

/** The explanation of the list: a diagram from the conditions to the rows, with the reads between them. */
export default function ExplainPanel(): ReactNode {
  const { modelRef, parameters } = useListState();
  const { data, error, isFetching, refetch } = useExplanation(modelRef, getRequest(parameters));
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

interface ExplainedProps {
  readonly explanation: Explanation;
}

/** The steps in order. */
function Plan({ explanation }: ExplainedProps): ReactNode {
  const { filters, total, method, objectsRead } = explanation;
  return (
    <ol className="explain-steps" aria-label={t`Query plan`}>
      <Step title={t`Conditions`}>
        {filters.length === 0 && <p>{t`none: all objects`}</p>}
        <ul>
          {filters.map(({ condition, from, matches }) => (
            <li key={condition}>
              <code>{condition}</code>
              <span className="faint">{t`${matches}, ${SOURCES[from]()}`}</span>
            </li>
          ))}
        </ul>
      </Step>
      <Step title={t`Exact total`} figure={formatCount(total)}>
        <p className="faint">{totalFrom(explanation)}</p>
      </Step>
      <Step title={t`Order`} figure={getOrder(explanation)}>
        <p className="faint">{METHODS[method]()}</p>
      </Step>
      <Step title={t`Rows of this page`} figure={formatCount(objectsRead)}>
        <p className="faint">{t`Only these objects are read.`}</p>
      </Step>
    </ol>
  );
}

interface StepProps {
  readonly title: string;
  readonly figure?: string;
  readonly children: ReactNode;
}

function Step({ title, figure, children }: StepProps): ReactNode {
  return (
    <li className="step">
      <h2>{title}</h2>
      {figure !== undefined && <p className="figure">{figure}</p>}
      {children}
    </li>
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
