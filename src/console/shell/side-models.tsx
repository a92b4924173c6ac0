import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { isOfPlatform, getPath, storedModels, useModels, type Model } from '../api/models.js';
import { useMayDo } from '../api/platform/rights.js';
import { useIsUnsaved } from '../editor/drafts.js';
import { Badge } from '../parts/badge.js';
import { Unsaved } from '../parts/dialogs/unsaved.js';
import { isMeant, ModelSearch } from '../parts/model-search.js';
import { getList, type Route } from '../routes/route.js';
import { t } from '../texts.js';

/** The number of models above which a search field is displayed. */
const MANY = 8;

/** Links between the lists of models. The overview has such a list itself. */
export function SideModels({ route }: { readonly route: Route }): ReactNode {
  const [typed, setTyped] = useState('');
  const { data = [] } = useModels();
  const mayDo = useMayDo();
  const { known, served } = useKnown(storedModels(data));
  const models = known.filter((one) => !isOfPlatform(one) && mayDo('list', one));
  if ((route.page === 'plain' && route.path === '') || models.length === 0) return null;
  const current = 'model' in route ? route.model : undefined;
  const shown = models.filter((model) => isMeant(model, typed));
  return (
    <nav aria-label={t`Models`} className="side-models">
      {models.length > MANY && <ModelSearch typed={typed} onType={setTyped} />}
      <ul>
        {shown.map((model) => {
          const isCurrent = current?.group === model.group && current.plural === model.plural;
          return (
            <li key={getPath(model)}>
              <ModelLink model={model} isCurrent={isCurrent} isStopped={!served.has(getPath(model))} />
            </li>
          );
        })}
      </ul>
      {shown.length === 0 && <p className="faint">{t`No matches.`}</p>}
    </nav>
  );
}

interface ModelLinkProps {
  readonly model: Model;
  readonly isCurrent: boolean;
  readonly isStopped: boolean;
}

function ModelLink({ model, isCurrent, isStopped }: ModelLinkProps): ReactNode {
  const id = useId();
  const isUnsaved = useIsUnsaved(model);
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent && link.current !== null) scrollToLink(link.current);
  }, [isCurrent]);
  return (
    <a
      ref={link}
      href={getList(model)}
      title={model.group}
      aria-current={isCurrent ? 'true' : undefined}
      aria-describedby={isUnsaved ? id : undefined}
    >
      <span className="cut">{model.plural}</span>
      {isStopped && <Badge word="stopped" />}
      {isUnsaved && <Unsaved id={id} />}
    </a>
  );
}

/** Scrolls only the list: `scrollIntoView` could scroll the page, too. */
function scrollToLink(link: HTMLElement): void {
  const list = link.closest('ul');
  if (list === null) return;
  const [inner, outer] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollBy({
    top: Math.max(0, inner.bottom - outer.bottom) + Math.min(0, inner.top - outer.top),
    left: Math.max(0, inner.right - outer.right) + Math.min(0, inner.left - outer.left),
  });
}

interface Known {
  readonly known: readonly Model[];
  /** The paths of the served models. */
  readonly served: ReadonlySet<string>;
}

/** The served models in order, and those that were served since the page was opened, and whose plugin is stopped. */
function useKnown(models: readonly Model[]): Known {
  const served = new Set(models.map(getPath));
  const [known, setKnown] = useState(models);
  const stopped = known.filter((model) => !served.has(getPath(model)));
  const now = [...models, ...stopped];
  if (now.map(getPath).join(' ') !== known.map(getPath).join(' ')) setKnown(now);
  return { known: now, served };
}
