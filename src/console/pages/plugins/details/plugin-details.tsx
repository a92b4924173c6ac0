import type { ReactNode } from 'react';
import { PLUGINS, usePlugins } from '../../../api/platform/plugins.js';
import { Failure } from '../../../parts/failure.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { Notice, Pending } from '../../../parts/notice.js';
import { formatRoute, getObject } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import { PluginPhase } from '../plugin-phase.js';
import { PluginSwitch } from '../plugin-switch.js';
import { useFollowedPlugins } from '../plugins-page.js';
import { PagesTab } from './pages-tab.js';
import { PluginOverview } from './plugin-overview.js';

const ConfigTab = lazyPart(() => import('./config-tab.js'));
const LogTab = lazyPart(() => import('./log-tab.js'));

const TABS: readonly (readonly [path: string, label: () => string])[] = [
  ['', () => t`Overview`],
  ['configuration', () => t`Configuration`],
  ['log', () => t`Log`],
  ['pages', () => t`Pages`],
];

interface PluginDetailsProps {
  readonly name: string;
  readonly tab: string;
}

export function PluginDetails({ name, tab }: PluginDetailsProps): ReactNode {
  const { data, error, refetch } = usePlugins();
  useFollowedPlugins(data?.revision);
  const plugin = data?.items.find((one) => one.name === name);
  return (
    <>
      <div className="row spread below">
        <div>
          <h1>{name}</h1>
          {plugin?.displayName !== undefined && <p className="faint">{plugin.displayName}</p>}
        </div>
        {plugin !== undefined && (
          <div className="row">
            <PluginPhase plugin={plugin} />
            <a className="button" href={getObject(PLUGINS, name)}>{t`Open as an object`}</a>
            <PluginSwitch plugin={plugin} />
          </div>
        )}
      </div>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data !== undefined && plugin === undefined && (
        <Notice tone="attention">{t`No plugin of this name is installed.`}</Notice>
      )}
      {plugin !== undefined && (
        <>
          <nav className="tabs" aria-label={t`Views of the plugin`}>
            {TABS.map(([path, label]) => (
              <a
                key={path}
                href={formatRoute({ page: 'plugin', name, path })}
                aria-current={path === tab ? 'page' : undefined}
              >
                {label()}
              </a>
            ))}
          </nav>
          <Failure key={tab}>
            {tab === '' && <PluginOverview plugin={plugin} all={data?.items ?? []} />}
            {tab === 'configuration' && <ConfigTab name={name} />}
            {tab === 'log' && <LogTab name={name} />}
            {tab === 'pages' && <PagesTab plugin={plugin} />}
            {TABS.every(([path]) => path !== tab) && <Notice tone="attention">{t`Page not found.`}</Notice>}
          </Failure>
        </>
      )}
    </>
  );
}
