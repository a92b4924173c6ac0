import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getApiVersion, getPath } from '../../api/models.js';
import { useMay } from '../../api/platform/rights.js';
import { readTotal } from '../../api/tables.js';
import { formatCount } from '../../lib/format.js';
import { getKindInText, getTitleOf } from '../../lib/naming.js';
import { CloseButton, DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { CompactLabel, Icon } from '../../parts/icon.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { ExportMenu } from './export/export-menu.js';
import { ImportButton } from './import/import-button.js';
import { useListState } from './list-context.js';
import { getConditions, getRequest } from './parameters.js';

const Snippets = lazyPart(() => import('../../parts/models/snippets.js'));

interface ListHeadProps {
  /** Undefined while it is unknown. */
  readonly total: number | undefined;
}

/** The name of the list, the number of objects, and what can be done with all of them. */
export function ListHead({ total }: ListHeadProps): ReactNode {
  const { modelRef, model, rowParameters } = useListState();
  const mayCreate = useMay('create', modelRef);
  const [isApi, setIsApi] = useState(false);
  const kind = getKindInText(modelRef, model);
  return (
    <header className="row list-head">
      <h1 title={getApiVersion(modelRef)}>{getTitleOf(modelRef, model)}</h1>
      {total !== undefined && <Total total={total} />}
      <div className="line end">
        <button
          type="button"
          className="quiet list-head-api"
          aria-haspopup="dialog"
          onClick={() => setIsApi(true)}
        >
          <CompactLabel name="braces">{`</> ${t`API`}`}</CompactLabel>
        </button>
        <ExportMenu label={<CompactLabel name="download">{t`Export`}</CompactLabel>} />
        {model !== undefined && mayCreate && <ImportButton model={model} />}
        {/* Its name is the same on every list; the tooltip says what it makes. */}
        {mayCreate && (
          <button
            type="button"
            className="primary"
            title={t`New ${kind}`}
            aria-keyshortcuts="n"
            onClick={() => navigate({ page: 'create', model: modelRef, way: 'form' })}
          >
            <Icon name="plus" />
            {t`Create`}
          </button>
        )}
      </div>
      {isApi && (
        <DialogFrame title={t`API`} onClose={() => setIsApi(false)}>
          <Snippets modelRef={modelRef} parameters={getRequest(rowParameters)} />
          <CloseButton onClose={() => setIsApi(false)} />
        </DialogFrame>
      )}
    </header>
  );
}

const AGAIN_MS = 5_000;

/** The number of listed objects, and that of all. */
function Total({ total }: { readonly total: number }): ReactNode {
  const { modelRef, rowParameters } = useListState();
  const isPart = getConditions(rowParameters).size > 0;
  const path = getPath(modelRef);
  const { data: all } = useQuery({
    queryKey: ['count', path],
    queryFn: ({ signal }) => readTotal(path, signal),
    enabled: isPart,
    refetchInterval: AGAIN_MS,
  });
  const known = all === undefined ? formatCount(total) : t`${total} of ${all}`;
  return <output className="list-head-total">{isPart ? known : t`${total} total`}</output>;
}
