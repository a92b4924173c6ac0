import { useState, type ReactNode } from 'react';
import { getPath, qualifiedPlural, storedModels, useModels, type Model } from '../../api/models.js';
import { getName } from '../../api/objects.js';
import { DEFINITIONS, useDefinitions } from '../../api/platform/definitions.js';
import { PLUGINS, usePlugins, type Plugin } from '../../api/platform/plugins.js';
import { useMay } from '../../api/platform/rights.js';
import { getModelTitle } from '../../lib/naming.js';
import { SearchField } from '../../parts/field.js';
import { isMeant } from '../../parts/models/model-groups.js';
import { ObjectCount } from '../../parts/object-count.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getList, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { getBuilder } from '../builder/links.js';
import { PlanSection } from './plan-section.js';
import { Unfit } from './unfit.js';
import { Versions } from './versions.js';

/** The number of models above which a search field is displayed. */
const MANY = 8;

/** Every model with its versions, its invalid objects, and its migrations. */
export default function ModelsPage(): ReactNode {
  const { data, error, refetch } = useModels();
  const plugins = usePlugins().data?.items ?? [];
  const [typed, setTyped] = useState('');
  const mayCreate = useMay('create', DEFINITIONS);
  const { data: definitions = [] } = useDefinitions(useMay('list', DEFINITIONS));
  const custom = definitions.map(getName);
  const stored = storedModels(data ?? []);
  const rows = stored
    .filter((model) => isMeant(model, typed))
    .map((model) => {
      const name = qualifiedPlural(model);
      const plugin = plugins.find(({ models }) => models.some((one) => qualifiedPlural(one) === name));
      return { model, name, plugin, known: plugin?.models.find((one) => qualifiedPlural(one) === name) };
    });
  return (
    <>
      <div className="row spread below">
        <h1>{t`Models`}</h1>
        {mayCreate && (
          <a className="button primary" href={getBuilder()}>
            {t`New model`}
          </a>
        )}
      </div>
      <PlanSection />
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {stored.length > MANY && (
        <div className="below">
          <SearchField label={t`Find a model`} typed={typed} onType={setTyped} />
        </div>
      )}
      {data !== undefined && rows.length === 0 && <p className="faint">{t`No matches.`}</p>}
      {rows.length > 0 && (
        <SimpleTable
          label={t`Models`}
          rows={rows}
          getKey={({ model }) => getPath(model)}
          columns={[
            [t`Model`, ({ model, name }) => <Name model={model} isCustom={custom.includes(name)} />],
            [
              t`Plugin`,
              ({ plugin }) =>
                plugin === undefined ? '–' : <a href={getObject(PLUGINS, plugin.name)}>{plugin.name}</a>,
            ],
            [t`Objects`, ({ model }) => <ObjectCount model={model} />],
            [t`Versions`, ({ model }) => <Versions model={model} all={data ?? []} />],
            [t`Migrations`, ({ model, plugin }) => <Migrations model={model} plugin={plugin} />],
            [
              t`Invalid objects`,
              ({ model, known }) => (
                <Unfit model={model} count={known?.unfit} dangling={known?.dangling ?? 0} />
              ),
            ],
          ]}
        />
      )}
    </>
  );
}

interface NameProps {
  readonly model: Model;
  /** True when a definition declares it, which the builder can change. */
  readonly isCustom: boolean;
}

function Name({ model, isCustom }: NameProps): ReactNode {
  return (
    <>
      <a href={getList(model)}>{getModelTitle(model)}</a>
      <p className="faint">
        {model.kind} · {model.group === '' ? '–' : model.group}
      </p>
      {isCustom && (
        <a href={getBuilder(qualifiedPlural(model))} aria-label={t`Edit model ${model.plural}`}>
          {t`Edit model`}
        </a>
      )}
    </>
  );
}

interface MigrationsProps {
  readonly model: Model;
  readonly plugin: Plugin | undefined;
}

/** Migrations run when a plugin starts, before its models are served: the progress of the start is their progress. */
function Migrations({ model: { migrations = [] }, plugin }: MigrationsProps): ReactNode {
  if (migrations.length === 0) return '–';
  return (
    <>
      <ul>
        {migrations.map((id) => (
          <li key={id}>{id}</li>
        ))}
      </ul>
      <p className={plugin?.phase === 'FAILED' ? 'problem' : 'faint'}>
        {plugin?.phase === 'STARTED' ? t`done` : (plugin?.message ?? t`The plugin has not started yet.`)}
      </p>
    </>
  );
}
