import type { ReactNode } from 'react';

export type Column<R> = readonly [name: string, cell: (row: R, position: number) => ReactNode];

interface SimpleTableProps<R> {
  readonly label: string;
  readonly rows: readonly R[];
  readonly getKey: (row: R, position: number) => string | number;
  /** The first column names the row. */
  readonly columns: readonly Column<R>[];
}

/** A read-only table. */
export function SimpleTable<R>({ label, rows, getKey, columns }: SimpleTableProps<R>): ReactNode {
  return (
    <div className="scroll simple-table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={getKey(row, i)}>
              {columns.map(([name, cell], at) =>
                at === 0 ? (
                  <th key={name} scope="row">
                    {cell(row, i)}
                  </th>
                ) : (
                  <td key={name} data-column={name}>
                    {cell(row, i)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
