import { useMemo, useState, type ReactNode } from 'react';
import { getPath, storedModels, useModels, type Model } from '../../api/models.js';
import { usePlugins } from '../../api/platform/plugins.js';
import { useMayDo } from '../../api/platform/rights.js';
import { useStory } from '../../api/story.js';
import { Age } from '../../parts/age.js';
import { isMeant, groupModels, type KnownOwners } from '../../parts/models/model-groups.js';
import { SearchField } from '../../parts/field.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import type { RecentChanges } from './change-feed.js';
import { EmptyService } from './empty-service.js';
import { countChanges, ModelCard } from './model-card.js';

/** The number of models above which a search field is displayed. */
const MANY = 20;

/** Every model once, as a card under its plugin. */
export function ModelBoard({ recent }: { readonly recent: RecentChanges }): ReactNode {
  const { data, error, refetch } = useModels();
  const mayDo = useMayDo();
  const plugins = usePlugins().data?.items;
  const [owners] = useState((): KnownOwners => new Map());
  const [typed, setTyped] = useState('');
  const changes = useMemo(() => countChanges(recent), [recent]);
  if (data === undefined)
    return (
      <Section title={t`Models`}>
        <Pending error={error} onRetry={() => void refetch()} />
      </Section>
    );
  const models = storedModels(data).filter((model) => mayDo('list', model));
  const shown = models.filter((model) => isMeant(model, typed));
  const { groups, system } = groupModels(shown, plugins, owners);
  const reported = (plugins ?? []).flatMap((plugin) => plugin.models);
  const getCards = (of: readonly Model[]): ReactNode => (
    <ul className="tiles tiles-narrow tight">
      {of.map((model) => (
        <ModelCard
          key={getPath(model)}
          model={model}
          changes={changes}
          unfit={reported.find((one) => getPath(one) === getPath(model))?.unfit ?? 0}
        />
      ))}
    </ul>
  );
  return (
    <Section
      title={t`Models`}
      actions={
        models.length > MANY && <SearchField label={t`Find a model`} typed={typed} onType={setTyped} />
      }
    >
      {groups.length === 0 && typed === '' && <EmptyService />}
      {shown.length === 0 && typed !== '' && <p className="faint">{t`No matches.`}</p>}
      {groups.map(({ name, version, models: ofGroup }) => (
        <div key={name} className="below">
          <h3 className="label model-board-title">
            {name} <span className="faint">{version}</span>
          </h3>
          {getCards(ofGroup)}
        </div>
      ))}
      {system.length > 0 && (
        <details open={typed !== '' && groups.length === 0}>
          <summary className="label model-board-title">{t`System models`}</summary>
          {getCards(system)}
        </details>
      )}
      <Looked recent={recent} />
    </Section>
  );
}

/** The legend of the bars. */
function Looked({ recent: { after, head, changes } }: { readonly recent: RecentChanges }): ReactNode {
  const first = useStory(changes[0]);
  if (changes.length === 0) return null;
  return (
    <p className="faint">
      {t`Bars: last ${head - after} [change|changes], oldest first.`}{' '}
      {first?.time !== undefined && (
        <>
          {t`Age of the oldest:`} <Age time={first.time} />
        </>
      )}
    </p>
  );
}
