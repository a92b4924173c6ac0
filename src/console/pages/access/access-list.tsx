import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TOKENS } from '../../api/platform/access.js';
import { getPath, type ModelRef } from '../../api/models.js';
import { readTable, type Table, type TableRow } from '../../api/tables.js';
import { formatValue } from '../../lib/format.js';
import { Age } from '../../parts/age.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { SimpleTable, type Column } from '../../parts/simple-table.js';
import { getList, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { DeleteButton } from './delete-button.js';

const SHOWN = '20';
const AGAIN_MS = 5_000;

interface AccessListProps {
  readonly model: ModelRef;
  /** Default: the plural of the model. */
  readonly title?: string;
  readonly actions: ReactNode;
}

/** The first objects of a model, each with a button to delete it. */
export function AccessList({ model, title = model.plural, actions }: AccessListProps): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['access', getPath(model), 'table'],
    queryFn: ({ signal }) => readTable(getPath(model), new URLSearchParams({ size: SHOWN }), signal),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Section title={title} actions={actions}>
      {data === undefined ? <Pending error={error} /> : <AccessTable model={model} table={data} />}
    </Section>
  );
}

interface CellProps {
  readonly value: unknown;
  readonly type: string;
}

function Cell({ value, type }: CellProps): ReactNode {
  return type === 'date' && typeof value === 'string' ? <Age time={value} /> : formatValue(value);
}

function AccessTable({ model, table }: { readonly model: ModelRef; readonly table: Table }): ReactNode {
  const { columnDefinitions, rows, total } = table;
  if (total === 0) return <p className="faint">{t`none`}</p>;
  const [, ...others] = columnDefinitions;
  return (
    <>
      <SimpleTable
        label={model.plural}
        rows={rows}
        // A confirmation does not apply to another object of the same name.
        getKey={({ object: { metadata } }) => metadata.uid ?? metadata.name}
        columns={[
          [
            columnDefinitions[0]?.name ?? '',
            ({ object: { metadata } }) => <a href={getObject(model, metadata.name)}>{metadata.name}</a>,
          ],
          ...others.map(({ name, type }, i): Column<TableRow> => [
            name,
            ({ cells }) => <Cell value={cells[i + 1]} type={type} />,
          ]),
          [
            t`Actions`,
            ({ object: { metadata } }) => (
              <DeleteButton
                model={model}
                metadata={metadata}
                action={model.plural === TOKENS.plural ? t`Revoke` : t`Delete`}
              />
            ),
          ],
        ]}
      />
      <a href={getList(model)}>{t`${total} total`}</a>
    </>
  );
}
