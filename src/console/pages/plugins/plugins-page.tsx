import { useQueryClient } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useModels, getPath } from '../../api/models.js';
import { PLUGINS, usePlugins, type Plugin } from '../../api/platform/plugins.js';
import { useChanges } from '../../api/watch.js';
import { coalesce } from '../../lib/coalesce.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';
import { Message } from '../../parts/long-text.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { getList, getObject } from '../../routes/route.js';
import { text } from '../../texts.js';
import { PluginSwitch } from './plugin-switch.js';

const PAUSE_MS = 300;
/** The number of a plugin's models above which the list is collapsed. */
const MANY = 12;

/** Every installed plugin: its state, its parts, and a button to start or stop it. */
export function PluginsPage(): ReactNode {
  const client = useQueryClient();
  const { data, error, refetch } = usePlugins();
  const readAgain = useMemo(() => coalesce(() => client.invalidateQueries(), PAUSE_MS), [client]);
  useChanges({ path: getPath(PLUGINS), revision: data?.revision }, readAgain);
  const { plugins } = text;
  return (
    <>
      <h1>{plugins.heading}</h1>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="faint">{plugins.none}</p>}
      {data !== undefined && data.items.length > 0 && (
        <SimpleTable
          label={plugins.heading}
          head={[plugins.name, plugins.phase, plugins.version, plugins.models, plugins.endpoints, '']}
          rows={data.items.map((plugin) => ({ key: plugin.name, cells: getCells(plugin) }))}
        />
      )}
    </>
  );
}

function getCells(plugin: Plugin): readonly ReactNode[] {
  const { name, displayName, phase, version, message, lastStartTime, endpoints } = plugin;
  return [
    <div key="name">
      <a href={getObject(PLUGINS, name)}>{name}</a>
      {displayName !== undefined && <p className="faint">{displayName}</p>}
    </div>,
    <div key="phase">
      <Badge word={getState(plugin)} />{' '}
      {lastStartTime !== undefined && getState(plugin) === 'STARTED' && <Age time={lastStartTime} />}
      {message !== undefined && (
        <div className={phase === 'FAILED' ? 'problem' : 'faint'}>
          <Message>{message}</Message>
        </div>
      )}
    </div>,
    version,
    <PluginModels key="models" plugin={plugin} />,
    <ul key="endpoints" className="plain">
      {endpoints.map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>,
    <PluginSwitch key="switch" plugin={plugin} />,
  ];
}

/** The phase, or the transition while it differs from the switch. */
function getState({ phase, isEnabled }: Plugin): string {
  if (!isEnabled && phase !== 'DISABLED' && phase !== 'FAILED') return 'stopping';
  return isEnabled && phase === 'DISABLED' ? 'starting' : phase;
}

function PluginModels({ plugin: { models } }: { readonly plugin: Plugin }): ReactNode {
  const served = useModels().data ?? [];
  const list = (
    <ul className="plain">
      {models.map((model) => {
        const isServed = served.some((one) => getPath(one) === getPath(model));
        return (
          <li key={getPath(model)}>
            {isServed ? <a href={getList(model)}>{model.plural}</a> : model.plural}
          </li>
        );
      })}
    </ul>
  );
  if (models.length <= MANY) return list;
  return (
    <details>
      <summary>{text.plugins.manyModels(models.length)}</summary>
      {list}
    </details>
  );
}
