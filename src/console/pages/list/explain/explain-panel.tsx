import type { ReactNode } from 'react';
import type { ModelRef } from '../../../api/models.js';
import { formatCount } from '../../../lib/format.js';
import { Message } from '../../../parts/long-text.js';
import { Pending } from '../../../parts/notice.js';
import { Bar } from '../../../parts/bar.js';
import { text } from '../../../texts.js';
import { getRequest } from '../parameters.js';
import { useExplanation, type Explanation } from './explanation.js';

interface ExplainPanelProps {
  readonly modelRef: ModelRef;
  readonly parameters: URLSearchParams;
}

/** The explanation of the list: a diagram from the conditions to the rows, with the reads between them. */
export function ExplainPanel({ modelRef, parameters }: ExplainPanelProps): ReactNode {
  const { data, error, isFetching, refetch } = useExplanation(modelRef, getRequest(parameters));
  return (
    <section className="card explain" aria-label={text.list.explained}>
      {data === undefined || error !== null ? (
        <Pending error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Plan explanation={data} />
          <div className="halves">
            <Reads explanation={data} />
            <Others explanation={data} />
          </div>
          <button type="button" className="quiet" disabled={isFetching} onClick={() => void refetch()}>
            {text.list.explain.again}
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
  const { explain } = text.list;
  return (
    <ol className="explain-steps" aria-label={explain.steps}>
      <Step title={explain.conditions}>
        {filters.length === 0 && <p>{explain.everything}</p>}
        <ul>
          {filters.map(({ condition, from, matches }) => (
            <li key={condition}>
              <code>{condition}</code>
              <span className="faint">{explain.matchesFrom(matches, explain.sources[from])}</span>
            </li>
          ))}
        </ul>
      </Step>
      <Step title={explain.total} figure={formatCount(total)}>
        <p className="faint">{totalFrom(explanation)}</p>
      </Step>
      <Step title={explain.order} figure={getOrder(explanation)}>
        <p className="faint">{explain.methods[method]}</p>
      </Step>
      <Step title={explain.rows} figure={formatCount(objectsRead)}>
        <p className="faint">{explain.objectsHint}</p>
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
      <h3>{title}</h3>
      {figure !== undefined && <p className="figure">{figure}</p>}
      {children}
    </li>
  );
}

function getOrder({ index, direction }: Explanation): string {
  const { explain } = text.list;
  return index === null ? explain.sorted : `${index} ${direction === 'desc' ? '↓' : '↑'}`;
}

/** The source of the total: the last step that reads decides. */
function totalFrom({ filters }: Explanation): string {
  const { explain } = text.list;
  if (filters.length === 0) return explain.totalOfAll;
  if (filters.some(({ from }) => from === 'records')) return explain.totalFrom.records;
  return filters.some(({ from }) => from === 'index') ? explain.totalFrom.index : explain.totalFrom.memory;
}

/** The number of reads, next to the number of results. */
function Reads({ explanation }: ExplainedProps): ReactNode {
  const { entriesRead, recordsRead, objectsRead, total } = explanation;
  const { explain } = text.list;
  const lines = [
    [explain.entries, entriesRead],
    [explain.records, recordsRead],
    [explain.objects, objectsRead],
    [explain.kept, total],
  ] as const;
  const most = Math.max(...lines.map(([, count]) => count), 1);
  return (
    <div>
      <h3>{explain.read}</h3>
      <dl className="reads">
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
  const { explain } = text.list;
  return (
    <div>
      <h3>{explain.others}</h3>
      <ul className="lines">
        {alternatives.map(({ method, cost, reason }) => (
          <li key={method}>
            {explain.methods[method]}{' '}
            <span className="faint">{cost === null ? <Message>{reason}</Message> : explain.cost(cost)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
