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
import { t } from '../../texts.js';
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
  return (
    <>
      <h1>{t`Plugins`}</h1>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="faint">{t`No plugins are installed.`}</p>}
      {data !== undefined && data.items.length > 0 && (
        <SimpleTable
          label={t`Plugins`}
          rows={data.items}
          getKey={({ name }) => name}
          columns={[
            [t`Name`, (plugin) => <Name plugin={plugin} />],
            [t`Phase`, (plugin) => <Phase plugin={plugin} />],
            [t`Version`, ({ version }) => version],
            [t`Models`, (plugin) => <PluginModels plugin={plugin} />],
            [t`Endpoints`, (plugin) => <Endpoints plugin={plugin} />],
            ['', (plugin) => <PluginSwitch plugin={plugin} />],
          ]}
        />
      )}
    </>
  );
}

interface CellProps {
  readonly plugin: Plugin;
}

function Name({ plugin: { name, displayName } }: CellProps): ReactNode {
  return (
    <>
      <a href={getObject(PLUGINS, name)}>{name}</a>
      {displayName !== undefined && <p className="faint">{displayName}</p>}
    </>
  );
}

function Phase({ plugin }: CellProps): ReactNode {
  const { phase, message, lastStartTime } = plugin;
  const state = getState(plugin);
  return (
    <>
      <Badge word={state} />{' '}
      {lastStartTime !== undefined && state === 'STARTED' && <Age time={lastStartTime} />}
      {message !== undefined && (
        <div className={phase === 'FAILED' ? 'problem' : 'faint'}>
          <Message>{message}</Message>
        </div>
      )}
    </>
  );
}

function Endpoints({ plugin: { endpoints } }: CellProps): ReactNode {
  return (
    <ul>
      {endpoints.map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>
  );
}

/** The phase, or the transition while it differs from the switch. */
function getState({ phase, isEnabled }: Plugin): string {
  if (!isEnabled && phase !== 'DISABLED' && phase !== 'FAILED') return 'stopping';
  return isEnabled && phase === 'DISABLED' ? 'starting' : phase;
}

function PluginModels({ plugin: { models } }: CellProps): ReactNode {
  const served = useModels().data ?? [];
  const list = (
    <ul>
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
      <summary>{t`${models.length} [model|models]`}</summary>
      {list}
    </details>
  );
}
