import type { ReactNode } from 'react';
import { getPath } from '../../api/models.js';
import { PLUGIN_PAGES_KEY } from '../../api/platform/plugin-pages.js';
import { PLUGINS, usePlugins, type Plugin } from '../../api/platform/plugins.js';
import { useFollowed } from '../../api/watch.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { Icon } from '../../parts/icon.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { Message } from '../../parts/long-text.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { formatRoute } from '../../routes/route.js';
import { t } from '../../texts.js';
import { PluginModels } from './plugin-models.js';
import { PluginPhase } from './plugin-phase.js';
import { PluginSwitch } from './plugin-switch.js';

const InstallDialog = lazyPart(() => import('./install-dialog.js'));

/** Every installed plugin: its state, its parts, and a button to start or stop it. */
export default function PluginsPage(): ReactNode {
  const { data, error, refetch } = usePlugins();
  useFollowedPlugins(data?.revision);
  return (
    <>
      <div className="row spread below">
        <h1>{t`Plugins`}</h1>
        <DialogButton
          label={t`Install a plugin`}
          isAllowed
          dialog={(onClose) => <InstallDialog onClose={onClose} />}
        />
      </div>
      {data === undefined && <Pending error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="empty">{t`No plugins are installed.`}</p>}
      {data !== undefined && data.items.length > 0 && (
        <div className="plugins-page-table">
          <SimpleTable
            label={t`Plugins`}
            rows={data.items}
            getKey={({ name }) => name}
            columns={[
              [t`Name`, (plugin) => <Name plugin={plugin} />],
              [t`Phase`, (plugin) => <State plugin={plugin} />],
              [t`Content`, (plugin) => <Content plugin={plugin} />],
              [t`Switch`, (plugin) => <PluginSwitch plugin={plugin} />],
            ]}
          />
        </div>
      )}
    </>
  );
}

/** Reads plugins and what they serve again when one has changed. */
export function useFollowedPlugins(revision: string | undefined): void {
  useFollowed({ path: getPath(PLUGINS), revision }, [['plugins'], ['models'], PLUGIN_PAGES_KEY]);
}

interface CellProps {
  readonly plugin: Plugin;
}

/** An error has the width of this column, so that long ones can be read. */
function Name({ plugin: { name, displayName, description, phase, message } }: CellProps): ReactNode {
  return (
    <div className="stack tight plugins-page-name">
      <p>
        <a href={formatRoute({ page: 'plugin', name, path: '' })}>{displayName ?? name}</a>
        {displayName !== undefined && <span className="faint mono"> {name}</span>}
      </p>
      {description !== undefined && <p className="faint">{description}</p>}
      {message !== undefined && (
        <div className={phase === 'FAILED' ? 'problem' : 'faint'}>
          <Message>{message}</Message>
        </div>
      )}
    </div>
  );
}

function State({ plugin }: CellProps): ReactNode {
  return (
    <>
      <PluginPhase plugin={plugin} />
      <p className="faint">{plugin.version}</p>
    </>
  );
}

function Content({ plugin: { name, models, pages, endpoints, phase } }: CellProps): ReactNode {
  const own = phase === 'STARTED' ? pages.filter(({ placement }) => placement === 'sidebar') : [];
  return (
    <>
      {models.length > 0 && <PluginModels models={models} />}
      {own.map(({ path, title, icon }) => (
        <p key={path} className="line">
          <Icon name={icon ?? 'plug'} />
          <a href={formatRoute({ page: 'plugin', name, path })}>{title}</a>
        </p>
      ))}
      {endpoints.length > 0 && <p className="faint">{t`${endpoints.length} [endpoint|endpoints]`}</p>}
    </>
  );
}
