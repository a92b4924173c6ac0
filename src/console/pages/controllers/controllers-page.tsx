import type { ReactNode } from 'react';
import { useControllers, type Controller } from '../../api/platform/controllers.js';
import type { ModelRef } from '../../api/models.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Facts } from '../../parts/facts.js';
import { LeaderName } from '../../parts/leader-name.js';
import { Problem } from '../../parts/long-text.js';
import { ModelLink } from '../../parts/models/model-name.js';
import { Pending } from '../../parts/notice.js';
import { Count } from '../../parts/object-count.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';

/** The pending work and the failures of plugins' controllers. */
export default function ControllersPage(): ReactNode {
  const { data, error, refetch } = useControllers();
  return (
    <>
      <h1>{t`Controllers`}</h1>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <Facts facts={[[t`Leader`, <LeaderName key="l" leader={data.leader} />]]} />}
      {data?.items.length === 0 && <p className="faint">{t`No plugin runs a controller.`}</p>}
      {data !== undefined && data.items.length > 0 && (
        <SimpleTable
          label={t`Controllers`}
          rows={data.items}
          getKey={({ metadata }) => metadata.name}
          columns={[
            [t`Name`, (one) => <Name controller={one} />],
            [t`Model`, (one) => <ModelLink modelRef={getModel(one)} />],
            [t`Phase`, ({ status }) => <Phase status={status} />],
            [t`Queue`, ({ status }) => <Queue status={status} />],
            [t`In progress`, (one) => <InWork controller={one} />],
            [t`Retries`, (one) => <Retries controller={one} />],
            [t`Reconciled`, ({ status }) => <Count count={status.counts.reconciled} />],
            [t`Failed`, ({ status }) => <Count count={status.counts.failed} />],
            [t`Last error`, (one) => <LastError controller={one} />],
          ]}
        />
      )}
    </>
  );
}

function getModel({ spec: { resource } }: Controller): ModelRef {
  const [version = '', group = ''] = resource.apiVersion.split('/').reverse();
  return { group, version, plural: resource.plural };
}

interface CellProps {
  readonly controller: Controller;
}

function Name({ controller: { metadata, spec } }: CellProps): ReactNode {
  return (
    <>
      {metadata.name}
      <p className="faint">{spec.plugin}</p>
    </>
  );
}

function Phase({ status: { phase, message } }: Pick<Controller, 'status'>): ReactNode {
  return (
    <>
      <Badge word={phase} />
      <Problem message={message} />
    </>
  );
}

function Queue({ status: { queueDepth, oldestWaitingSince } }: Pick<Controller, 'status'>): ReactNode {
  return (
    <>
      <Count count={queueDepth} /> {oldestWaitingSince !== undefined && <Age time={oldestWaitingSince} />}
    </>
  );
}

function InWork({ controller }: CellProps): ReactNode {
  return (
    <ul>
      {controller.status.inWork.map(({ name, since }) => (
        <li key={name}>
          <a href={getObject(getModel(controller), name)}>{name}</a> <Age time={since} />
        </li>
      ))}
    </ul>
  );
}

const RETRIES_SHOWN = 5;

function Retries({ controller }: CellProps): ReactNode {
  const { total, next } = controller.status.retries;
  return (
    <>
      <Count count={total} />
      <ul>
        {next.slice(0, RETRIES_SHOWN).map(({ name, attempts, error }) => (
          <li key={name}>
            <a href={getObject(getModel(controller), name)}>{name}</a>{' '}
            {attempts > 0 && t`attempt ${attempts}`}
            <Problem message={error} />
          </li>
        ))}
      </ul>
    </>
  );
}

function LastError({ controller }: CellProps): ReactNode {
  const { lastError } = controller.status;
  if (lastError === undefined) return '–';
  return (
    <>
      <a href={getObject(getModel(controller), lastError.name)}>{lastError.name}</a>{' '}
      <Age time={lastError.time} />
      <Problem message={lastError.message} />
    </>
  );
}
