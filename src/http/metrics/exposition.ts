import type { Histogram } from '../../lib/histogram.js';

export type Labels = Readonly<Record<string, string>>;

/** Histograms of one name, with distinct labels. */
export interface HistogramFamily {
  readonly name: string;
  readonly help: string;
  readonly series: Iterable<readonly [Labels, Histogram]>;
}

/** Histograms in Prometheus' text format. */
export function formatHistograms({ name, help, series }: HistogramFamily): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const [labels, histogram] of series) {
    const { atMost, count, sum } = histogram.read();
    const rest = labelText(labels);
    const bucket = rest === '' ? '' : `${rest},`;
    for (const [i, bound] of histogram.bounds.entries())
      lines.push(`${name}_bucket{${bucket}le="${bound}"} ${atMost[i] ?? count}`);
    lines.push(`${name}_bucket{${bucket}le="+Inf"} ${count}`);
    const braced = rest === '' ? '' : `{${rest}}`;
    lines.push(`${name}_sum${braced} ${sum}`, `${name}_count${braced} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
}
