import type { ReactNode } from 'react';
import { useControllers, type Controller } from '../../api/platform/controllers.js';
import type { ModelRef } from '../../api/models.js';
import { formatCount } from '../../lib/format.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Facts } from '../../parts/facts.js';
import { LeaderName } from '../../parts/leader-name.js';
import { Message } from '../../parts/long-text.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getList, getObject } from '../../routes/route.js';
import { text } from '../../texts.js';

/** The pending work and the failures of plugins' controllers. */
export function ControllersPage(): ReactNode {
  const { data, error, refetch } = useControllers();
  const { controllers } = text;
  return (
    <>
      <h1>{controllers.heading}</h1>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <Facts facts={[[controllers.leader, <LeaderName key="l" leader={data.leader} />]]} />
      )}
      {data?.items.length === 0 && <p className="faint">{controllers.none}</p>}
      {data !== undefined && data.items.length > 0 && (
        <SimpleTable
          label={controllers.heading}
          head={[
            controllers.name,
            controllers.model,
            controllers.phase,
            controllers.queue,
            controllers.inWork,
            controllers.retries,
            controllers.reconciled,
            controllers.failed,
            controllers.lastError,
          ]}
          rows={data.items.map((one) => ({ key: one.metadata.name, cells: getCells(one) }))}
        />
      )}
    </>
  );
}

function getModel({ spec: { resource } }: Controller): ModelRef {
  const [version = '', group = ''] = resource.apiVersion.split('/').reverse();
  return { group, version, plural: resource.plural };
}

function getCells(controller: Controller): readonly ReactNode[] {
  const { phase, message, queueDepth, oldestWaitingSince, inWork, counts, lastError } = controller.status;
  const model = getModel(controller);
  return [
    <div key="name">
      {controller.metadata.name}
      <p className="faint">{controller.spec.plugin}</p>
    </div>,
    <a key="model" href={getList(model)}>
      {model.plural}
    </a>,
    <div key="phase">
      <Badge word={phase} />
      {message !== undefined && (
        <div className="problem">
          <Message>{message}</Message>
        </div>
      )}
    </div>,
    <span key="queue" className="number">
      {formatCount(queueDepth)} {oldestWaitingSince !== undefined && <Age time={oldestWaitingSince} />}
    </span>,
    <ul key="work" className="plain">
      {inWork.map(({ name, since }) => (
        <li key={name}>
          <a href={getObject(model, name)}>{name}</a> <Age time={since} />
        </li>
      ))}
    </ul>,
    <Retries key="retries" controller={controller} model={model} />,
    <span key="reconciled" className="number">
      {formatCount(counts.reconciled)}
    </span>,
    <span key="failed" className="number">
      {formatCount(counts.failed)}
    </span>,
    lastError === undefined ? (
      text.none
    ) : (
      <div key="error">
        <a href={getObject(model, lastError.name)}>{lastError.name}</a> <Age time={lastError.time} />
        <div className="problem">
          <Message>{lastError.message}</Message>
        </div>
      </div>
    ),
  ];
}

const RETRIES_SHOWN = 5;

function Retries({
  controller: { status },
  model,
}: {
  readonly controller: Controller;
  readonly model: ModelRef;
}): ReactNode {
  const { total, next } = status.retries;
  return (
    <>
      <span className="number">{formatCount(total)}</span>
      <ul className="plain">
        {next.slice(0, RETRIES_SHOWN).map(({ name, attempts, error }) => (
          <li key={name}>
            <a href={getObject(model, name)}>{name}</a> {attempts > 0 && text.controllers.attempts(attempts)}
            {error !== undefined && (
              <div className="problem">
                <Message>{error}</Message>
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
