import type { ReactNode } from 'react';
import { CONTROLLERS, useControllers, type Controller } from '../../api/platform/controllers.js';
import { PLUGINS, usePlugins } from '../../api/platform/plugins.js';
import { useMay } from '../../api/platform/rights.js';
import { formatRoute } from '../../routes/route.js';
import { t } from '../../texts.js';

/** The failures, with links to where they are corrected. Nothing for users who may see neither plugins nor controllers. */
export function Alerts(): ReactNode {
  const maySeePlugins = useMay('list', PLUGINS);
  const maySeeControllers = useMay('list', CONTROLLERS);
  if (!maySeePlugins && !maySeeControllers) return null;
  return (
    <section className="alerts" aria-label={t`Alerts`}>
      <ul className="alerts-list">
        {maySeePlugins && <PluginAlerts />}
        {maySeeControllers && <ControllerAlerts />}
      </ul>
      <p className="alerts-none faint">{t`No problems found.`}</p>
    </section>
  );
}

interface AlertProps {
  readonly tone: 'bad' | 'attention';
  readonly title: string;
  /** Of the service, in English. */
  readonly message?: string | undefined;
  /** Of the page with more about it. */
  readonly page: string;
}

function Alert({ tone, title, message, page }: AlertProps): ReactNode {
  return (
    <li className={`alerts-item alerts-${tone}`}>
      <a href={formatRoute({ page: 'plain', path: page })}>{title}</a>
      {message !== undefined && (
        <p className="alerts-message" lang="en" title={message}>
          {message}
        </p>
      )}
    </li>
  );
}

function PluginAlerts(): ReactNode {
  const plugins = usePlugins().data?.items ?? [];
  const failed = plugins.filter(({ phase }) => phase === 'FAILED');
  const models = plugins.flatMap((plugin) => plugin.models);
  return (
    <>
      {failed.map(({ name, message }) => (
        <Alert key={name} tone="bad" title={t`Plugin ${name} failed`} message={message} page="plugins" />
      ))}
      {models
        .filter(({ unfit }) => unfit > 0)
        .map(({ group, plural, unfit }) => (
          <Alert
            key={`${plural}.${group}`}
            tone="attention"
            title={t`${unfit} invalid [object|objects] in ${plural}`}
            page="models"
          />
        ))}
      {models
        .filter(({ dangling }) => dangling > 0)
        .map(({ group, plural, dangling }) => (
          <Alert
            key={`references of ${plural}.${group}`}
            tone="attention"
            title={t`${dangling} broken [reference|references] in ${plural}`}
            page="models"
          />
        ))}
    </>
  );
}

function ControllerAlerts(): ReactNode {
  const controllers = useControllers().data?.items ?? [];
  return controllers
    .filter(isFailing)
    .map(({ metadata: { name }, status }) => (
      <Alert
        key={name}
        tone="attention"
        title={t`Controller ${name}: ${status.retries.total} failing [object|objects]`}
        message={status.message ?? status.lastError?.message}
        page="controllers"
      />
    ));
}

function isFailing({ status: { phase, retries } }: Controller): boolean {
  return phase === 'recovering' || retries.next.some(({ error }) => error !== undefined);
}
