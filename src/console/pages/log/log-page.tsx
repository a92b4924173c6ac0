import { useMemo, type ReactNode } from 'react';
import { PLUGINS, usePlugins } from '../../api/platform/plugins.js';
import { useMay } from '../../api/platform/rights.js';
import { useServiceLog } from '../../api/platform/service-log.js';
import { LogView } from '../../parts/log/log-view.js';
import { formatRoute } from '../../routes/route.js';
import { usePeriod, withPeriod, type Period } from '../../routes/period.js';
import { t } from '../../texts.js';

/** The last warnings, errors, and slow or failed requests of the service, or those of the period in the URL. */
export default function LogPage(): ReactNode {
  const period = usePeriod();
  const [from, to] = [isoOf(period?.fromMs), isoOf(period?.toMs)];
  const { data, error } = useServiceLog(from, to);
  const lines = useMemo(
    () =>
      (data?.entries ?? []).map(({ time, level, message }, id) => ({
        id,
        time,
        level: level.toUpperCase(),
        text: message,
      })),
    [data],
  );
  return (
    <>
      <div className="row below">
        <h1>{t`Log of the service`}</h1>
        <a className="end" href={formatRoute({ page: 'plain', path: 'metrics' })}>{t`Metrics`}</a>
      </div>
      <p className="faint below">{t`Warnings, errors, failed requests, and requests of half a second or longer.`}</p>
      <LogView lines={lines} error={error} period={period} keptSince={data?.keptSince} />
      <PluginLogs period={period} />
    </>
  );
}

function isoOf(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
}

/** Links to the logs of the plugins, at the same time. */
function PluginLogs({ period }: { readonly period: Period | undefined }): ReactNode {
  const plugins = usePlugins().data?.items ?? [];
  if (!useMay('list', PLUGINS) || plugins.length === 0) return null;
  return (
    <nav className="row log-view-others" aria-label={t`Logs of plugins`}>
      <span className="faint">{t`Logs of plugins`}</span>
      {plugins.map(({ name }) => {
        const url = formatRoute({ page: 'plugin', name, path: 'log' });
        return (
          <a key={name} href={period === undefined ? url : withPeriod(url, period)}>
            {name}
          </a>
        );
      })}
    </nav>
  );
}
