import type { ExtensionObject } from '../../model/object.js';
import { isNamespaced } from '../../model/full-name.js';
import type { Resource } from '../../model/resource.js';
import type { CliIo } from '../io.js';
import { LABELS_COLUMN, tableColumns, type TableColumn } from './columns.js';
import type { ColumnsOutput, OutputFormat } from './format.js';
import { paced } from './paced.js';
import { printTable } from './table.js';

/** The parts of a model that a table needs. */
export type TableResource = Pick<Resource, 'plural' | 'columns' | 'scope' | 'origin'>;

export interface TableFlags {
  readonly output: OutputFormat | ColumnsOutput;
  /** False with `--no-headers`. */
  readonly headers: boolean;
  readonly showLabels?: boolean;
  /** True for a column with the namespaces, where objects have one. */
  readonly allNamespaces?: boolean;
  /** The resource before each name, as in `persons/ada`. Default: only with `-o name`. */
  readonly qualifier?: string | undefined;
}

/** Prints objects of one model as a table, or as `<plural>/<name>` lines. Returns their number. */
export async function printRows(
  io: CliIo,
  resource: TableResource,
  objects: AsyncIterable<ExtensionObject> | Iterable<ExtensionObject>,
  flags: TableFlags,
): Promise<number> {
  let count = 0;
  const counted = async function* (): AsyncGenerator<ExtensionObject> {
    for await (const object of paced(objects, io.stdout)) {
      if (io.stdout.isClosed) return;
      count += 1;
      yield object;
    }
  };
  if (flags.output === 'name') {
    const { qualifier = resource.plural } = flags;
    for await (const { metadata } of counted()) io.stdout.line(`${qualifier}/${metadata.name}`);
    return count;
  }
  const columns = columnsFor(resource, flags);
  const rows = async function* (): AsyncGenerator<readonly string[]> {
    for await (const object of counted()) yield columns.map(({ cell }) => cell(object));
  };
  const titles = columns.map(({ title }) => title);
  await printTable(io, rows(), titles, flags);
  return count;
}

export async function printValue(io: CliIo, value: unknown, output: 'json' | 'yaml'): Promise<void> {
  const text = output === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : await toYaml(value);
  io.stdout.write(text);
}

/**
 * Prints a list with its items one after another, so that only one of them is text at a time.
 * @param head the members of the list without `items`
 */
export async function printList(
  io: CliIo,
  head: object,
  items: AsyncIterable<object> | Iterable<object>,
  output: 'json' | 'yaml',
): Promise<void> {
  let count = 0;
  if (output === 'yaml') {
    io.stdout.write(await toYaml(head));
    for await (const item of paced(items, io.stdout)) {
      if (io.stdout.isClosed) return;
      io.stdout.write(`${count++ === 0 ? 'items:\n' : ''}${await toYaml([item])}`);
    }
    if (count === 0) io.stdout.write('items: []\n');
    return;
  }
  io.stdout.write(`${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "items": [`);
  for await (const item of paced(items, io.stdout)) {
    if (io.stdout.isClosed) return;
    const text = JSON.stringify(item, undefined, 2).replace(/^|\n/g, '$&    ');
    io.stdout.write(`${count++ === 0 ? '' : ','}\n${text}`);
  }
  io.stdout.write(count === 0 ? ']\n}\n' : '\n  ]\n}\n');
}

/** Prints each value as JSON on a separate line. */
export async function printLines(io: CliIo, items: AsyncIterable<object>): Promise<void> {
  for await (const item of paced(items, io.stdout)) {
    if (io.stdout.isClosed) return;
    io.stdout.write(`${JSON.stringify(item)}\n`);
  }
}

/** The columns for the flags, with ages from now. */
export function columnsFor(
  resource: TableResource,
  { output, showLabels = false, allNamespaces = false, qualifier }: TableFlags,
): readonly TableColumn[] {
  if (typeof output === 'string') {
    const namespaces = allNamespaces && isNamespaced(resource);
    return tableColumns(resource, {
      wide: output === 'wide',
      showLabels,
      now: Date.now(),
      namespaces,
      qualifier,
    });
  }
  return showLabels ? [...output.columns, LABELS_COLUMN] : output.columns;
}

async function toYaml(value: unknown): Promise<string> {
  const { formatYaml } = await import('../../lib/json/yaml.js');
  return formatYaml(value);
}
