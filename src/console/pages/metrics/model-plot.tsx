import { useMemo, useState, type ReactNode } from 'react';
import { useModels, type Model } from '../../api/models.js';
import type { Reading } from '../../api/platform/recent-metrics.js';
import { formatNumber } from '../../lib/format.js';
import { getModelTitle } from '../../lib/naming.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { PlotView } from './plot-view.js';
import { perSecond, rankModels, type Plot } from './series.js';

/** The models to choose from, and those that are displayed without a choice. */
const OFFERED = 8;
const FIRST = 3;

interface ModelPlotProps {
  readonly readings: readonly Reading[];
  readonly pinnedMs: number | undefined;
  readonly onPin: (timeMs: number) => void;
}

/** The answers about the most used models, and all others together. */
export function ModelPlot({ readings, pinnedMs, onPin }: ModelPlotProps): ReactNode {
  const { data: models } = useModels();
  const [chosen, setChosen] = useState<readonly string[]>();
  const offered = useMemo(() => rankModels(readings).slice(0, OFFERED), [readings]);
  const names = chosen ?? offered.slice(0, FIRST);
  const key = names.join(' ');
  const plot = useMemo(() => getModelPlot(key === '' ? [] : key.split(' '), models), [key, models]);
  const toggle = (name: string): void =>
    setChosen(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  // A chosen model remains offered when others are used more.
  const shown = [...new Set([...offered, ...names])].sort();
  return (
    <Section title={plot.title}>
      <PlotView plot={plot} readings={readings} pinnedMs={pinnedMs} onPin={onPin} />
      <fieldset className="row model-plot-choices">
        <legend className="unseen">{t`Models`}</legend>
        {shown.map((name) => (
          <label key={name} className="line" title={name}>
            <input type="checkbox" checked={names.includes(name)} onChange={() => toggle(name)} />
            {titleOf(name, models)}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}

function getModelPlot(names: readonly string[], models: readonly Model[] | undefined): Plot {
  const rest = (one: Reading): number =>
    names.reduce((left, name) => left - (one.answersByModel[name] ?? 0), one.answers);
  return {
    title: t`Responses per second by model`,
    format: formatNumber,
    lines: [
      ...names.map((name) => perSecond((one) => one.answersByModel[name] ?? 0, titleOf(name, models))),
      perSecond(rest, t`all others`),
    ],
  };
}

/** @param name `plural.group` */
function titleOf(name: string, models: readonly Model[] | undefined): string {
  const found = models?.find(({ plural, group }) => name === (group === '' ? plural : `${plural}.${group}`));
  return found === undefined ? name : getModelTitle(found);
}
