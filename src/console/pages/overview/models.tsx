import { useMemo, useState, type ReactNode } from 'react';
import { isOfPlatform, getPath, useModels, type Model } from '../../api/models.js';
import { usePlugins, type PluginModel } from '../../api/platform/plugins.js';
import { useMayDo } from '../../api/platform/rights.js';
import { useStory } from '../../api/story.js';
import { formatCount } from '../../lib/format.js';
import { Age } from '../../parts/age.js';
import { isMeant, ModelSearch } from '../../parts/model-search.js';
import { Pending } from '../../parts/notice.js';
import { ObjectCount } from '../../parts/object-count.js';
import { Section } from '../../parts/section.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getList } from '../../routes/route.js';
import { t } from '../../texts.js';
import { countChanges, type ChangeCounts } from './change-counts.js';
import type { RecentChanges } from './change-feed.js';
import { Sparkline } from './sparkline.js';

/** The number of models above which a search field is displayed. */
const MANY = 20;

/** Every model once, those of plugins first. */
export function Models({ recent }: { readonly recent: RecentChanges }): ReactNode {
  const { data, error, refetch } = useModels();
  const mayDo = useMayDo();
  const counts = useMemo(() => countChanges(recent), [recent]);
  if (data === undefined)
    return (
      <Section title={t`Models`}>
        <Pending error={error} onRetry={() => void refetch()} />
      </Section>
    );
  const models = data.filter((model) => mayDo('list', model));
  const [own, platform] = [models.filter((one) => !isOfPlatform(one)), models.filter(isOfPlatform)];
  return (
    <div className="stack">
      <Section title={t`Models`}>
        {own.length === 0 && <p className="faint">{t`No models yet (or none you may list).`}</p>}
        {own.length > 0 && <ModelTable label={t`Models`} models={own} counts={counts} />}
        <Looked recent={recent} />
      </Section>
      {platform.length > 0 && (
        <Section title={t`Platform models`}>
          <ModelTable label={t`Platform models`} models={platform} counts={counts} />
        </Section>
      )}
    </div>
  );
}

/** The legend of the tables' bars. */
function Looked({ recent: { after, head, changes } }: { readonly recent: RecentChanges }): ReactNode {
  const first = useStory(changes[0]);
  if (changes.length === 0) return null;
  return (
    <p className="faint">
      {t`Last ${head - after} [change|changes] in the store, oldest on the left.`}{' '}
      {first?.time !== undefined && (
        <>
          {t`Age of the oldest:`} <Age time={first.time} />
        </>
      )}
    </p>
  );
}

interface ModelTableProps {
  readonly label: string;
  readonly models: readonly Model[];
  readonly counts: ChangeCounts;
}

function ModelTable({ label, models, counts }: ModelTableProps): ReactNode {
  const [typed, setTyped] = useState('');
  const plugins = usePlugins().data?.items ?? [];
  const reported = plugins.flatMap((plugin) => plugin.models);
  const all = models.filter(({ version, storageVersion }) => version === storageVersion);
  const shown = all.filter((model) => isMeant(model, typed));
  const table = (
    <SimpleTable
      label={label}
      rows={shown}
      getKey={getPath}
      columns={[
        [t`Model`, (model) => <a href={getList(model)}>{model.plural}</a>],
        [t`Objects`, (model) => <Objects model={model} reported={reported} />],
        [t`Changes`, (model) => <ChangesOf model={model} counts={counts} />],
        [
          t`Kind`,
          ({ kind, group }) => (
            <>
              {kind}
              <p className="faint">{group}</p>
            </>
          ),
        ],
        [t`Versions`, (model) => <Versions model={model} all={models} />],
      ]}
    />
  );
  if (all.length <= MANY) return table;
  return (
    <div className="many">
      <ModelSearch typed={typed} onType={setTyped} />
      {shown.length === 0 ? <p className="faint">{t`No matches.`}</p> : table}
    </div>
  );
}

function ChangesOf({ model, counts }: { readonly model: Model; readonly counts: ChangeCounts }): ReactNode {
  const values = counts.of(model);
  if (values === undefined) return '–';
  const sum = values.reduce((before, value) => before + value, 0);
  const label = t`${sum} of the last ${counts.looked} [change|changes] of the store`;
  return (
    <span className="line">
      <Sparkline label={label} values={values} max={counts.max} />
      <span className="faint number" aria-hidden="true">
        {formatCount(sum)}
      </span>
    </span>
  );
}

function Versions({ model, all }: { readonly model: Model; readonly all: readonly Model[] }): ReactNode {
  const others = all.filter(
    ({ group, kind, version }) => group === model.group && kind === model.kind && version !== model.version,
  );
  return (
    <>
      {model.version}
      {others.map((other) => (
        <a key={other.version} className="also" href={getList(other)}>
          {other.version}
        </a>
      ))}
    </>
  );
}

/** The number of objects, and of those that do not fit. */
function Objects({
  model,
  reported,
}: {
  readonly model: Model;
  readonly reported: readonly PluginModel[];
}): ReactNode {
  const unfit = reported.find((one) => one.group === model.group && one.plural === model.plural)?.unfit ?? 0;
  return (
    <>
      <ObjectCount model={model} />
      {unfit > 0 && <p className="attention">{t`${unfit} [invalid object|invalid objects]`}</p>}
    </>
  );
}
