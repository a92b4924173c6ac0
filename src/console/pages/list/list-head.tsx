import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getApiVersion, getPath, type Model, type ModelRef } from '../../api/models.js';
import { useMayDo } from '../../api/platform/rights.js';
import { readTotal } from '../../api/tables.js';
import { formatCount } from '../../lib/format.js';
import { humanize } from '../../lib/naming.js';
import { Icon } from '../../parts/icon.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { ExportMenu } from './export/export-menu.js';
import { ImportButton } from './import/import-button.js';
import { getConditions, getRequest } from './parameters.js';

const ApiPanel = lazyPart(() => import('./snippets/api-panel.js'));

interface ListHeadProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  /** Undefined while it is unknown. */
  readonly total: number | undefined;
  readonly parameters: URLSearchParams;
}

/** The name of the list, the number of objects, and what can be done with all of them. */
export function ListHead({ modelRef, model, total, parameters }: ListHeadProps): ReactNode {
  const mayDo = useMayDo();
  const [isApi, setIsApi] = useState(false);
  return (
    <header className="list-head">
      <h1 title={getApiVersion(modelRef)}>{humanize(modelRef.plural)}</h1>
      {total !== undefined && <Total modelRef={modelRef} total={total} parameters={parameters} />}
      <div className="list-head-actions">
        <button type="button" className="quiet" aria-haspopup="dialog" onClick={() => setIsApi(true)}>
          {`</> ${t`API`}`}
        </button>
        <ExportMenu modelRef={modelRef} parameters={parameters} label={t`Export`} />
        {model !== undefined && mayDo('create', modelRef) && <ImportButton model={model} />}
        {mayDo('create', modelRef) && <CreateButton modelRef={modelRef} model={model} />}
      </div>
      {isApi && (
        <ApiPanel modelRef={modelRef} parameters={getRequest(parameters)} onClose={() => setIsApi(false)} />
      )}
    </header>
  );
}

/** Its name is the same on every list; the tooltip says what it makes. */
function CreateButton({ modelRef, model }: Pick<ListHeadProps, 'modelRef' | 'model'>): ReactNode {
  const kind = humanize(model?.kind ?? modelRef.plural).toLowerCase();
  return (
    <button
      type="button"
      className="primary list-head-create"
      title={t`New ${kind}`}
      aria-keyshortcuts="n"
      onClick={() => navigate({ page: 'create', model: modelRef, way: 'form' })}
    >
      <Icon name="plus" />
      {t`Create`}
    </button>
  );
}

const AGAIN_MS = 5_000;

/** The number of listed objects, and that of all. */
function Total({
  modelRef,
  total,
  parameters,
}: Pick<ListHeadProps, 'modelRef' | 'parameters'> & { readonly total: number }): ReactNode {
  const isPart = getConditions(parameters).size > 0;
  const path = getPath(modelRef);
  const { data: all } = useQuery({
    queryKey: ['count', path],
    queryFn: ({ signal }) => readTotal(path, signal),
    enabled: isPart,
    refetchInterval: AGAIN_MS,
  });
  if (!isPart) return <output className="list-head-total">{t`${total} total`}</output>;
  return (
    <output className="list-head-total">
      {all === undefined ? formatCount(total) : t`${total} of ${all}`}
    </output>
  );
}
