import type { ReactNode } from 'react';
import { formatTime } from '../../lib/format.js';
import { SimpleTable, type Column } from '../../parts/simple-table.js';
import { t } from '../../texts.js';
import type { Reading } from '../../api/platform/recent-metrics.js';
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
    lines.map((line): Column<Reading> => {
      const values = [...getValues(line, last)].reverse();
      return [
        lines.length === 1 ? title : `${title}: ${line.name}`,
        (_, i) => (values[i] === undefined ? '–' : format(values[i])),
      ];
    }),
  );
  return (
    <details className="card numbers">
      <summary>{t`Latest values`}</summary>
      <SimpleTable
        label={t`Latest values`}
        rows={last.slice(1).reverse()}
        getKey={({ timeMs }) => timeMs}
        columns={[[t`Time`, ({ timeMs }) => formatTime(timeMs)], ...columns]}
      />
    </details>
  );
}
