import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { WatchEvent } from '../../service/verbs.js';
import type { CliIo } from '../io.js';
import { colorsFor } from './colors.js';
import { escapeControls } from './escape.js';
import type { TemplateOutput } from './format.js';
import { columnsFor, printValue, type TableFlags } from './objects.js';
import { TableWriter } from './table.js';
import { printTemplate } from './template.js';

export interface EventFlags extends Omit<TableFlags, 'output'> {
  readonly output: TableFlags['output'] | TemplateOutput;
  /** Whether it is said of each object what happened to it. */
  readonly outputWatchEvents?: boolean;
  /** Whether the objects there are stay unprinted. */
  readonly watchOnly?: boolean;
}

/** Prints the events of a watch. */
export interface EventPrinter {
  /** A bookmark means that no more is coming at once; of itself it prints nothing. */
  print(event: WatchEvent): Promise<void>;
}

/** A printer for the format that the flags ask for: rows of a table, or one object after another. */
export async function eventPrinter(io: CliIo, resource: Resource, flags: EventFlags): Promise<EventPrinter> {
  const { output, outputWatchEvents: withType = false } = flags;
  switch (output) {
    case 'json':
    case 'yaml':
      return objectPrinter(io, output, withType);
    case 'name':
      return namePrinter(io, resource, withType);
    default:
      if (typeof output === 'object' && 'template' in output) return templatePrinter(io, output, withType);
      return tablePrinter(io, resource, { ...flags, output });
  }
}

function objectPrinter(io: CliIo, output: 'json' | 'yaml', withType: boolean): EventPrinter {
  let separator = '';
  return {
    async print({ type, object }) {
      if (type === 'BOOKMARK') return;
      io.stdout.write(separator);
      if (output === 'yaml') separator = '---\n';
      await printValue(io, withType ? { type, object } : object, output);
    },
  };
}

/** Nothing stands between two objects but what the template says. */
function templatePrinter(io: CliIo, { template }: TemplateOutput, withType: boolean): EventPrinter {
  return {
    print({ type, object }) {
      if (type !== 'BOOKMARK') printTemplate(io, template, withType ? { type, object } : object);
      return Promise.resolve();
    },
  };
}

function namePrinter(io: CliIo, { plural }: Resource, withType: boolean): EventPrinter {
  return {
    print({ type, object }) {
      if (type !== 'BOOKMARK') {
        const name = `${plural}/${escapeControls(object.metadata.name)}`;
        io.stdout.write(withType ? `${type} ${name}\n` : `${name}\n`);
      }
      return Promise.resolve();
    },
  };
}

/** Rows that are held back, so that the widths fit the objects there were, until a bookmark says that was all. */
const ROWS_HELD = 1_000;

async function tablePrinter(
  io: CliIo,
  resource: Resource,
  flags: EventFlags & TableFlags,
): Promise<EventPrinter> {
  const { headers, outputWatchEvents: withType = false } = flags;
  const titles = columnsFor(resource, flags).map(({ title }) => escapeControls(title));
  const colors = await colorsFor(io.stdout, io.env);
  const table = new TableWriter({
    // The widest of them sets the width.
    titles: withType ? ['EVENT   ', ...titles] : titles,
    header: headers,
    columns: io.stdout.isTTY ? io.stdout.columns : undefined,
    highlight: (text) => colors.strong(text),
  });
  const getRow = (type: string, object: ExtensionObject): readonly string[] => {
    const cells = columnsFor(resource, flags).map(({ cell }) => cell(object));
    return withType ? [type.padEnd('MODIFIED'.length), ...cells] : cells;
  };
  let isHolding = flags.watchOnly !== true;
  return {
    print({ type, object }) {
      const waiting = type === 'BOOKMARK' ? 0 : table.add(getRow(type, object));
      if (type === 'BOOKMARK' || waiting >= ROWS_HELD) isHolding = false;
      if (!isHolding) io.stdout.write(table.flush());
      return Promise.resolve();
    },
  };
}
