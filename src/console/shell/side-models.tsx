import { useState, type ReactNode } from 'react';
import { isOfPlatform, pathOf, storedModels, useModels } from '../api/models.js';
import { useMayDo } from '../api/rights.js';
import { isMeant, ModelSearch } from '../parts/model-search.js';
import { listOf, type Route } from '../routes/route.js';
import { text } from '../texts.js';

/** With more models, there is a field to find one. */
const MANY = 8;

/** From the objects of one model to those of another. The overview is such a list itself. */
export function SideModels({ route }: { readonly route: Route }): ReactNode {
  const [typed, setTyped] = useState('');
  const { data = [] } = useModels();
  const mayDo = useMayDo();
  const models = storedModels(data).filter((one) => !isOfPlatform(one) && mayDo('list', one));
  if (route.page === 'overview' || models.length === 0) return null;
  const current = 'model' in route ? route.model : undefined;
  const shown = models.filter((model) => isMeant(model, typed));
  return (
    <nav aria-label={text.nav.models} className="side-models">
      {models.length > MANY && <ModelSearch typed={typed} onType={setTyped} />}
      <ul>
        {shown.map((model) => {
          const isCurrent = current?.group === model.group && current.plural === model.plural;
          return (
            <li key={pathOf(model)}>
              <a href={listOf(model)} title={model.group} aria-current={isCurrent ? 'true' : undefined}>
                {model.plural}
              </a>
            </li>
          );
        })}
      </ul>
      {shown.length === 0 && <p className="faint">{text.list.noMatch}</p>}
    </nav>
  );
}
