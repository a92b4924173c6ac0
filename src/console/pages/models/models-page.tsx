import { useState, type ReactNode } from 'react';
import { getPath, qualifiedPlural, storedModels, useModels, type Model } from '../../api/models.js';
import { DEFINITIONS, useDefinitions } from '../../api/platform/definitions.js';
import { PLUGINS, usePlugins, type Plugin, type PluginModel } from '../../api/platform/plugins.js';
import { useMay } from '../../api/platform/rights.js';
import { objectAt, textAt } from '../../lib/json.js';
import { isMeant, ModelSearch } from '../../parts/models/model-search.js';
import { ObjectCount } from '../../parts/object-count.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getList, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { getBuilder } from '../builder/links.js';
import { Migrations } from './migrations.js';
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
  const custom = useCustomModels();
  const stored = storedModels(data ?? []);
  const shown = stored.filter((model) => isMeant(model, typed));
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
          <ModelSearch typed={typed} onType={setTyped} />
        </div>
      )}
      {data !== undefined && shown.length === 0 && <p className="faint">{t`No matches.`}</p>}
      {shown.length > 0 && (
        <SimpleTable
          label={t`Models`}
          rows={shown}
          getKey={getPath}
          columns={[
            [t`Model`, (model) => <Name model={model} isCustom={custom.has(qualifiedPlural(model))} />],
            [
              t`Plugin`,
              (model) => {
                const name = findPlugin(plugins, model)?.name;
                return name === undefined ? '–' : <a href={getObject(PLUGINS, name)}>{name}</a>;
              },
            ],
            [t`Objects`, (model) => <ObjectCount model={model} />],
            [t`Versions`, (model) => <Versions model={model} all={data ?? []} />],
            [
              t`Migrations`,
              (model) => <Migrations ids={model.migrations ?? []} plugin={findPlugin(plugins, model)} />,
            ],
            [
              t`Invalid objects`,
              (model) => {
                const one = findPlugin(plugins, model)?.models.find((known) => isSame(known, model));
                return <Unfit model={model} count={one?.unfit} dangling={one?.dangling ?? 0} />;
              },
            ],
          ]}
        />
      )}
    </>
  );
}

function isSame(one: PluginModel, { group, plural }: Model): boolean {
  return one.group === group && one.plural === plural;
}

function findPlugin(plugins: readonly Plugin[], model: Model): Plugin | undefined {
  return plugins.find(({ models }) => models.some((one) => isSame(one, model)));
}

interface NameProps {
  readonly model: Model;
  /** True when a definition declares it, which the builder can change. */
  readonly isCustom: boolean;
}

function Name({ model, isCustom }: NameProps): ReactNode {
  return (
    <>
      <a href={getList(model)}>{model.plural}</a>
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

/** The names of the definitions. */
function useCustomModels(): ReadonlySet<string> {
  const { data = [] } = useDefinitions(useMay('list', DEFINITIONS));
  return new Set(data.flatMap((one) => textAt(objectAt(one, 'metadata'), 'name') ?? []));
}
