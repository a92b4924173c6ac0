import { useMemo, type ReactNode } from 'react';
import { formatDuration } from '../../lib/format.js';
import { language } from '../../language.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { useStore } from '../../lib/store.js';
import { session } from '../../session/session.js';
import { t } from '../../texts.js';
import { NumbersTable } from './numbers-table.js';
import { PlotView } from './plot-view.js';
import { getPlots } from './series.js';
import { useReadings } from './use-readings.js';

/** The metrics of the service, since the page was opened. */
export default function MetricsPage(): ReactNode {
  const { readings, error } = useReadings();
  const { token } = useStore(session);
  const spoken = useStore(language);
  const plots = useMemo(getPlots, [spoken]);
  const [first, last] = [readings[0], readings.at(-1)];
  const spanMs = first === undefined || last === undefined ? 0 : last.timeMs - first.timeMs;
  return (
    <>
      <div className="row below">
        <h1>{t`Metrics`}</h1>
        <span className="faint">{t`While this page is open: ${formatDuration(spanMs)}`}</span>
        {/* A link cannot send a token. */}
        {token === undefined && (
          <a className="end" href="/metrics">
            {t`All metrics as text`}
          </a>
        )}
      </div>
      {error !== null && <Pending error={error} />}
      {readings.length === 0 && error === null && <Pending error={null} />}
      {readings.length > 0 && (
        <>
          <div className="tiles below">
            {plots.map((plot) => (
              <Section key={plot.title} title={plot.title}>
                <PlotView plot={plot} readings={readings} />
              </Section>
            ))}
          </div>
          <NumbersTable plots={plots} readings={readings} />
        </>
      )}
    </>
  );
}
