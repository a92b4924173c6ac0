import type { ReactNode } from 'react';
import { getPath, useModels } from '../../api/models.js';
import type { PluginModel } from '../../api/platform/plugins.js';
import { formatCount } from '../../lib/format.js';
import { ModelLink, ModelName } from '../../parts/models/model-name.js';
import { ObjectCount } from '../../parts/object-count.js';
import { t } from '../../texts.js';

/** The number of a plugin's models above which the list is collapsed. */
const MANY = 12;

/** Links to the models of a plugin, with the number of their objects. */
export function PluginModels({ models }: { readonly models: readonly PluginModel[] }): ReactNode {
  const served = useModels().data ?? [];
  if (models.length === 0) return '–';
  const list = (
    <ul>
      {models.map((model) => {
        const found = served.find((one) => getPath(one) === getPath(model));
        return (
          <li key={getPath(model)} className="line">
            {found === undefined ? <ModelName modelRef={model} /> : <ModelLink modelRef={model} />}
            <span className="faint">
              {found === undefined ? formatCount(model.objects ?? 0) : <ObjectCount model={found} />}
            </span>
          </li>
        );
      })}
    </ul>
  );
  if (models.length <= MANY) return list;
  return (
    <details>
      <summary>{t`${models.length} [model|models]`}</summary>
      {list}
    </details>
  );
}
