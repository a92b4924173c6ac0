import type { ReactNode } from 'react';
import { getPath, useModels } from '../../api/models.js';
import { storedModel } from '../../api/names.js';
import { useMay } from '../../api/platform/rights.js';
import { useWebhooks, WEBHOOKS, WEBHOOKS_KEY, type Webhook } from '../../api/platform/webhooks.js';
import { useFollowed } from '../../api/watch.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Problem } from '../../parts/long-text.js';
import { ModelLink } from '../../parts/models/model-name.js';
import { Pending } from '../../parts/notice.js';
import { Count } from '../../parts/object-count.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { formatCreateRoute, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { WebhookSwitch } from './webhook-switch.js';

/** The URLs to which changes are sent, and how far the service has come with each. */
export default function WebhooksPage(): ReactNode {
  const { data, error, refetch } = useWebhooks();
  const mayCreate = useMay('create', WEBHOOKS);
  useFollowed({ path: getPath(WEBHOOKS), revision: data?.revision }, [WEBHOOKS_KEY]);
  return (
    <>
      <div className="row below">
        <h1>{t`Webhooks`}</h1>
        {mayCreate && (
          <a className="button end" href={formatCreateRoute(WEBHOOKS, 'form')}>
            {t`Create`}
          </a>
        )}
      </div>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && (
        <p className="empty">{t`No webhooks yet. A webhook sends the changes of objects to a URL.`}</p>
      )}
      {data !== undefined && data.items.length > 0 && (
        <SimpleTable
          label={t`Webhooks`}
          rows={data.items}
          getKey={({ name }) => name}
          columns={[
            [t`Name`, (webhook) => <Name webhook={webhook} />],
            [t`Models`, (webhook) => <SentModels webhook={webhook} />],
            [t`State`, ({ isEnabled }) => <Badge word={isEnabled ? 'enabled' : 'disabled'} />],
            [t`Pending`, ({ pending }) => <Count count={pending} />],
            [t`Delivered`, ({ delivered }) => <Count count={delivered} />],
            [t`Failed`, ({ failed }) => <Count count={failed} />],
            [t`Position`, ({ position }) => <span className="number">{position}</span>],
            [t`Last attempt`, (webhook) => <LastAttempt webhook={webhook} />],
            ['', (webhook) => <WebhookSwitch webhook={webhook} />],
          ]}
        />
      )}
    </>
  );
}

interface CellProps {
  readonly webhook: Webhook;
}

function Name({ webhook: { name, url } }: CellProps): ReactNode {
  return (
    <>
      <a href={getObject(WEBHOOKS, name)}>{name}</a>
      <p className="faint text">{url}</p>
    </>
  );
}

function SentModels({ webhook: { models } }: CellProps): ReactNode {
  const served = useModels().data ?? [];
  return (
    <ul>
      {models.map(({ group, kind }) => {
        const model = storedModel(served, group, kind);
        return (
          <li key={`${group}/${kind}`} title={group}>
            {model === undefined ? kind : <ModelLink modelRef={model} />}
          </li>
        );
      })}
    </ul>
  );
}

/** The last error stays when later attempts succeed. */
function LastAttempt({ webhook: { lastTime, lastError, lastErrorTime } }: CellProps): ReactNode {
  return (
    <>
      <Age time={lastTime} />
      {lastErrorTime !== lastTime && lastError !== undefined && (
        <p className="faint">
          {t`Last error`} <Age time={lastErrorTime} isPhrase />
        </p>
      )}
      <Problem message={lastError} />
    </>
  );
}
