import type { ReactNode } from 'react';
import { useModels } from '../../api/models.js';
import { storedModel } from '../../api/names.js';
import { useMay } from '../../api/platform/rights.js';
import {
  DEAD_LETTERS,
  getWebhook,
  useDeadLetters,
  type DeadLetter,
  type Webhook,
} from '../../api/platform/webhooks.js';
import type { StoredObject } from '../../api/objects.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Problem } from '../../parts/long-text.js';
import { ModelName } from '../../parts/models/model-name.js';
import { Pending } from '../../parts/notice.js';
import { Count } from '../../parts/object-count.js';
import { Section } from '../../parts/section.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { ReplayActions } from './replay-actions.js';
import { WebhookSwitch } from './webhook-switch.js';

/** The changes that a webhook has given up, and the ways to send changes again. */
export default function Deliveries({ object }: { readonly object: StoredObject }): ReactNode {
  const webhook = getWebhook(object);
  const mayRead = useMay('get', DEAD_LETTERS, webhook.name);
  return (
    <Section
      title={t`Dead letters`}
      actions={
        <div className="actions">
          <Badge word={webhook.isEnabled ? 'enabled' : 'disabled'} />
          <WebhookSwitch webhook={webhook} />
        </div>
      }
    >
      {mayRead ? <Letters webhook={webhook} /> : <p className="faint">{t`You may not read dead letters.`}</p>}
    </Section>
  );
}

function Letters({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useDeadLetters(
    webhook.name,
  );
  const letters = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data !== undefined && letters.length === 0 && (
        <p className="faint below">{t`None: no change was given up.`}</p>
      )}
      {letters.length > 0 && (
        <SimpleTable
          label={t`Table: ${t`Dead letters`}`}
          rows={letters}
          getKey={({ resourceVersion }) => resourceVersion}
          columns={[
            [t`Object`, (letter) => <ChangedObject letter={letter} />],
            [t`Change`, ({ type }) => <Badge word={type} />],
            [t`Revision`, ({ resourceVersion }) => <span className="number">{resourceVersion}</span>],
            [t`Attempts`, ({ attempts }) => <Count count={attempts} />],
            [t`Last error`, (letter) => <LetterError letter={letter} />],
          ]}
        />
      )}
      <div className="actions">
        {hasNextPage && (
          <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t`Show more`}
          </button>
        )}
        <ReplayActions webhook={webhook} hasLetters={letters.length > 0} />
      </div>
    </>
  );
}

interface LetterProps {
  readonly letter: DeadLetter;
}

function ChangedObject({ letter: { group, kind, name, type } }: LetterProps): ReactNode {
  const model = storedModel(useModels().data ?? [], group, kind);
  // Objects in namespaces have no page of their name alone.
  const hasPage = model !== undefined && !name.includes('/');
  return (
    <>
      {hasPage ? <a href={getObject(model, name, type === 'DELETED' ? 'history' : 'form')}>{name}</a> : name}
      <p className="faint">{model === undefined ? kind : <ModelName modelRef={model} />}</p>
    </>
  );
}

function LetterError({ letter: { lastError, lastTime } }: LetterProps): ReactNode {
  return (
    <>
      <Age time={lastTime} />
      <Problem message={lastError} />
    </>
  );
}
