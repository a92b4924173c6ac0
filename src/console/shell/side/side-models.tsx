import { useId, useState, type ReactNode } from 'react';
import { getPath, storedModels, useModels, type Model } from '../../api/models.js';
import { usePlugins } from '../../api/platform/plugins.js';
import { useMayDo, useMayReadPath } from '../../api/platform/rights.js';
import { getModelTitle, hasTyped } from '../../lib/naming.js';
import { SearchField } from '../../parts/field.js';
import type { Route } from '../../routes/route.js';
import { t } from '../../texts.js';
import type { Page } from '../pages.js';
import { isMeant, groupModels, type KnownOwners } from '../../parts/models/model-groups.js';
import { SideModelLink } from './side-link.js';

/** The number of models above which a search field is displayed. */
const MANY = 12;
/** The number of models that are counted by a request for each, for users who may not read the metrics. */
const COUNTED_MAX = 20;

interface SideModelsProps {
  readonly route: Route;
  /** The pages below them. */
  readonly pages: readonly Page[];
}

/** Links to the lists of models, under the names of the plugins that own them. */
export function SideModels({ route, pages }: SideModelsProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [owners] = useState((): KnownOwners => new Map());
  const { data = [] } = useModels();
  const mayDo = useMayDo();
  const hasMetrics = useMayReadPath()('/metrics');
  const plugins = usePlugins().data?.items;
  const { known, served } = useKnown(storedModels(data));
  const models = known.filter((one) => mayDo('list', one));
  const shown = models.filter((model) => isMeant(model, typed) || hasTyped(getModelTitle(model), typed));
  const { groups, system: all } = groupModels(shown, plugins, owners);
  const current = 'model' in route ? route.model : undefined;
  const isCurrent = ({ group, plural }: Model): boolean =>
    current?.group === group && current.plural === plural;
  const elsewhere = new Set(pages.flatMap((page) => page.models ?? []).map(getPath));
  const system = all.filter((model) => !elsewhere.has(getPath(model)));
  const getLink = (model: Model): ReactNode => (
    <SideModelLink
      key={getPath(model)}
      model={model}
      isCurrent={isCurrent(model)}
      isStopped={!served.has(getPath(model))}
      hasCount={hasMetrics || models.length <= COUNTED_MAX}
    />
  );
  if (models.length === 0) return null;
  return (
    <nav aria-label={t`Models`} className="side-models">
      {(typed !== '' || models.length - system.length > MANY) && (
        <SearchField label={t`Find a model`} typed={typed} onType={setTyped} />
      )}
      {groups.map(({ name, version, models: ofGroup }) => (
        <SideGroup key={name} name={name} note={version}>
          {ofGroup.map(getLink)}
        </SideGroup>
      ))}
      {system.length > 0 && (
        <details
          className="side-system"
          open={system.some(isCurrent) || (typed !== '' && groups.length === 0)}
        >
          <summary className="side-title">{t`System models`}</summary>
          <ul>{system.map(getLink)}</ul>
        </details>
      )}
      {shown.length === 0 && <p className="faint">{t`No matches.`}</p>}
    </nav>
  );
}

interface SideGroupProps {
  readonly name: string;
  /** Beside the name. */
  readonly note?: string | undefined;
  readonly children: ReactNode;
}

/** Links under a heading. */
export function SideGroup({ name, note, children }: SideGroupProps): ReactNode {
  const id = useId();
  return (
    <>
      <p className="side-title">
        <span id={id}>{name}</span>
        {note !== undefined && <span className="cut">{note}</span>}
      </p>
      <ul aria-labelledby={id}>{children}</ul>
    </>
  );
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
