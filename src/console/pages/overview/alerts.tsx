import type { ReactNode } from 'react';
import { CONTROLLERS, useControllers } from '../../api/platform/controllers.js';
import { getPath, useModels } from '../../api/models.js';
import { PLUGINS, usePlugins } from '../../api/platform/plugins.js';
import { useMay } from '../../api/platform/rights.js';
import { formatRoute } from '../../routes/route.js';
import { getTitleOf } from '../../lib/naming.js';
import { t } from '../../texts.js';

/** The failures, with links to where they are corrected. Nothing for users who may see neither plugins nor controllers. */
export function Alerts(): ReactNode {
  const maySeePlugins = useMay('list', PLUGINS);
  const maySeeControllers = useMay('list', CONTROLLERS);
  if (!maySeePlugins && !maySeeControllers) return null;
  return (
    <section className="alerts" aria-label={t`Alerts`}>
      <ul className="tiles tiles-narrow">
        {maySeePlugins && <PluginAlerts />}
        {maySeeControllers && <ControllerAlerts />}
      </ul>
      <p className="faint">{t`No problems found.`}</p>
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
    <li className={`card alerts-item alerts-${tone}`}>
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
  const served = useModels().data ?? [];
  const failed = plugins.filter(({ phase }) => phase === 'FAILED');
  const ofModels = plugins.flatMap(({ models }) =>
    models.flatMap(({ unfit, dangling, ...ref }) => {
      const title = getTitleOf(
        ref,
        served.find((one) => getPath(one) === getPath(ref)),
      );
      return [
        ...(unfit > 0 ? [t`${unfit} invalid [object|objects] in ${title}`] : []),
        ...(dangling > 0 ? [t`${dangling} broken [reference|references] in ${title}`] : []),
      ];
    }),
  );
  return (
    <>
      {failed.map(({ name, message }) => (
        <Alert key={name} tone="bad" title={t`Plugin ${name} failed`} message={message} page="plugins" />
      ))}
      {ofModels.map((title, i) => (
        <Alert key={i} tone="attention" title={title} page="models" />
      ))}
    </>
  );
}

function ControllerAlerts(): ReactNode {
  const controllers = useControllers().data?.items ?? [];
  const failing = controllers.filter(
    ({ status: { phase, retries } }) =>
      phase === 'recovering' || retries.next.some(({ error }) => error !== undefined),
  );
  return failing.map(({ metadata: { name }, status }) => (
    <Alert
      key={name}
      tone="attention"
      title={t`Controller ${name}: ${status.retries.total} failing [object|objects]`}
      message={status.message ?? status.lastError?.message}
      page="controllers"
    />
  ));
}
