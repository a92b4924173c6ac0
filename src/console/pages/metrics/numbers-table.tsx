import type { ReactNode } from 'react';
import { formatTime } from '../../lib/format.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { text } from '../../texts.js';
import type { Reading } from './reading.js';
import { getValues, type Plot } from './series.js';

const SHOWN = 10;

interface NumbersTableProps {
  readonly plots: readonly Plot[];
  readonly readings: readonly Reading[];
}

/** The last numbers of all plots, for users who cannot see lines, and for exact values. */
export function NumbersTable({ plots, readings }: NumbersTableProps): ReactNode {
  const last = readings.slice(-SHOWN - 1);
  const columns = plots.flatMap(({ title, lines, format }) =>
    lines.map((line) => ({
      name: lines.length === 1 ? title : `${title}: ${line.name}`,
      values: getValues(line, last).map((value) => (value === undefined ? text.none : format(value))),
    })),
  );
  const rows = last.slice(1).map(({ timeMs }, i) => ({
    key: String(timeMs),
    cells: [formatTime(timeMs), ...columns.map(({ values }) => values[i])],
  }));
  return (
    <details className="card numbers">
      <summary>{text.metrics.numbers}</summary>
      <SimpleTable
        label={text.metrics.numbers}
        head={[text.metrics.time, ...columns.map(({ name }) => name)]}
        rows={rows.reverse()}
      />
    </details>
  );
}
