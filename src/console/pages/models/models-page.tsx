import { useState, type ReactNode } from 'react';
import { getPath, storedModels, useModels, type Model } from '../../api/models.js';
import { PLUGINS, usePlugins, type Plugin, type PluginModel } from '../../api/platform/plugins.js';
import { isMeant, ModelSearch } from '../../parts/model-search.js';
import { ObjectCount } from '../../parts/object-count.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getList, getObject } from '../../routes/route.js';
import { text } from '../../texts.js';
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
  const { models } = text;
  const stored = storedModels(data ?? []);
  const shown = stored.filter((model) => isMeant(model, typed));
  return (
    <>
      <h1>{text.nav.models}</h1>
      <PlanSection />
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {stored.length > MANY && <ModelSearch typed={typed} onType={setTyped} />}
      {data !== undefined && shown.length === 0 && <p className="faint">{text.list.noMatch}</p>}
      {shown.length > 0 && (
        <SimpleTable
          label={text.nav.models}
          head={[models.model, models.plugin, models.objects, models.versions, models.migrations, models.fit]}
          rows={shown.map((model) => ({
            key: getPath(model),
            cells: getCells(model, data ?? [], plugins),
          }))}
        />
      )}
    </>
  );
}

function getCells(model: Model, all: readonly Model[], plugins: readonly Plugin[]): readonly ReactNode[] {
  const isThis = (one: PluginModel): boolean => one.group === model.group && one.plural === model.plural;
  const plugin = plugins.find(({ models }) => models.some(isThis));
  const pluginModel = plugin?.models.find(isThis);
  return [
    <div key="model">
      <a href={getList(model)}>{model.plural}</a>
      <p className="faint">
        {model.kind} · {model.group === '' ? text.none : model.group}
      </p>
    </div>,
    plugin === undefined ? text.none : <a href={getObject(PLUGINS, plugin.name)}>{plugin.name}</a>,
    <ObjectCount key="objects" model={model} />,
    <Versions key="versions" model={model} all={all} />,
    <Migrations key="migrations" ids={model.migrations ?? []} plugin={plugin} />,
    <Unfit key="unfit" model={model} count={pluginModel?.unfit} dangling={pluginModel?.dangling ?? 0} />,
  ];
}
