import { useMemo, useState, type ReactNode } from 'react';
import { language } from '../../language.js';
import { Segmented } from '../../parts/choices/segmented.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { useStore } from '../../lib/store.js';
import { session } from '../../session/session.js';
import { t } from '../../texts.js';
import { ModelPlot } from './model-plot.js';
import { NumbersTable } from './numbers-table.js';
import { PinBar } from './pin-bar.js';
import { PlotView } from './plot-view.js';
import { getPlots } from './series.js';
import { useReadings } from './use-readings.js';

const MINUTE_MS = 60_000;

/** The metrics of the service in the last minutes. */
export default function MetricsPage(): ReactNode {
  const { readings, error } = useReadings();
  const [minutes, setMinutes] = useState<'15' | '60'>('15');
  const [pinnedMs, setPinnedMs] = useState<number>();
  const { token } = useStore(session);
  const spoken = useStore(language);
  const plots = useMemo(getPlots, [spoken]);
  const last = readings.at(-1)?.timeMs ?? 0;
  const shown = readings.filter(({ timeMs }) => timeMs >= last - Number(minutes) * MINUTE_MS);
  return (
    <>
      <div className="row below">
        <h1>{t`Metrics`}</h1>
        <Segmented
          label={t`Time range`}
          isLabelUnseen
          value={minutes}
          choices={[
            ['15', t`15 minutes`],
            ['60', t`1 hour`],
          ]}
          onChange={setMinutes}
        />
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
          <PinBar readings={shown} pinnedMs={pinnedMs} onPin={setPinnedMs} />
          <div className="tiles below">
            {plots.map((plot) => (
              <Section key={plot.title} title={plot.title}>
                <PlotView plot={plot} readings={shown} pinnedMs={pinnedMs} onPin={setPinnedMs} />
              </Section>
            ))}
            <ModelPlot readings={shown} pinnedMs={pinnedMs} onPin={setPinnedMs} />
          </div>
          <NumbersTable plots={plots} readings={shown} />
        </>
      )}
    </>
  );
}
