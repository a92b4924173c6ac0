import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { WatchEvent } from '../../service/verbs.js';
import type { CliIo } from '../io.js';
import type { TemplateOutput } from './format.js';
import { columnsFor, printValue, type TableFlags } from './objects.js';
import { openTable } from './table.js';
import { printTemplate } from './template.js';
import { getSubject } from './written.js';

export interface EventFlags extends Omit<TableFlags, 'output'> {
  readonly output: TableFlags['output'] | TemplateOutput;
  /** True to print the type of each event. */
  readonly outputWatchEvents?: boolean;
  /** True to skip the existing objects. */
  readonly watchOnly?: boolean;
}

/** Prints the events of a watch. */
export interface EventPrinter {
  /** Prints an event. A bookmark means that no more events follow immediately; it prints nothing itself. */
  print(event: WatchEvent): Promise<void>;
}

/** A printer for the format of the flags: rows of a table, or one object after another. */
export async function eventPrinter(io: CliIo, resource: Resource, flags: EventFlags): Promise<EventPrinter> {
  const { output, outputWatchEvents: withType = false } = flags;
  if (output === 'table' || output === 'wide' || (typeof output === 'object' && 'columns' in output))
    return tablePrinter(io, resource, { ...flags, output });
  let separator = '';
  return {
    async print({ type, object }) {
      if (type === 'BOOKMARK') return;
      const value = withType ? { type, object } : object;
      if (output === 'name') {
        io.stdout.line(`${withType ? `${type} ` : ''}${getSubject(resource, object.metadata.name)}`);
      } else if (typeof output === 'object') {
        // Only the template separates two objects.
        printTemplate(io, output.template, value);
      } else {
        io.stdout.write(separator);
        if (output === 'yaml') separator = '---\n';
        await printValue(io, value, output);
      }
    },
  };
}

/** The limit of rows that are buffered until the first bookmark, so that the widths fit the existing objects. */
const ROWS_HELD = 1_000;

async function tablePrinter(
  io: CliIo,
  resource: Resource,
  flags: EventFlags & TableFlags,
): Promise<EventPrinter> {
  const { outputWatchEvents: withType = false } = flags;
  const titles = columnsFor(resource, flags).map(({ title }) => title);
  // The widest event sets the width.
  const table = await openTable(io, withType ? ['EVENT   ', ...titles] : titles, flags);
  const getRow = (type: string, object: ExtensionObject): readonly string[] => {
    const cells = columnsFor(resource, flags).map(({ cell }) => cell(object));
    return withType ? [type.padEnd('MODIFIED'.length), ...cells] : cells;
  };
  let isHolding = flags.watchOnly !== true;
  return {
    print({ type, object }) {
      const waiting = type === 'BOOKMARK' ? 0 : table.add(getRow(type, object));
      if (type === 'BOOKMARK' || waiting >= ROWS_HELD) isHolding = false;
      if (!isHolding) io.stdout.paint(table.flush());
      return Promise.resolve();
    },
  };
}
