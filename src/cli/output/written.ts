import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { CliIo } from '../io.js';
import { UsageError } from '../exit.js';
import { shownName } from '../remote/namespaces.js';
import { colorsFor, type Colors } from './colors.js';
import { escapeControls } from '../../lib/escape-controls.js';
import { readOutput, type TemplateOutput } from './format.js';
import { printValue } from './objects.js';
import { printTemplate } from './template.js';

/** The flags of commands that write for the output of the results. */
export interface WriteOutputFlags {
  /** The unparsed text of the flag. */
  readonly output?: string;
  readonly dryRun?: boolean;
}

/** The parsed `-o` of such a command; undefined without it. */
type WriteOutput = 'json' | 'yaml' | 'name' | TemplateOutput | undefined;

/** @throws UsageError for an invalid output, and for tables, which have no column for the result of a write */
async function readWriteOutput({ output }: WriteOutputFlags, io: CliIo): Promise<WriteOutput> {
  if (output === undefined) return undefined;
  const read = await readOutput(output, io);
  if (typeof read === 'object' && 'template' in read) return read;
  if (read === 'json' || read === 'yaml' || read === 'name') return read;
  throw new UsageError(`-o ${output} is only for reading commands; use json, yaml, name or jsonpath=`);
}

/**
 * `<plural>/<name>` for printing.
 * @param name the name or the full name
 */
export function getSubject({ plural }: Pick<Resource, 'plural'>, name: string): string {
  return `${plural}/${escapeControls(shownName(name))}`;
}

/** Prints the result for each object on stdout: `<plural>/<name> <said>`, or the format of `-o`. */
export class WritePrinter {
  #documents = 0;

  private constructor(
    private readonly io: CliIo,
    private readonly output: WriteOutput,
    private readonly dryRun: boolean,
    private readonly colors: Colors,
  ) {}

  /** @throws UsageError for an invalid output */
  static async open(io: CliIo, flags: WriteOutputFlags): Promise<WritePrinter> {
    const output = await readWriteOutput(flags, io);
    return new WritePrinter(io, output, flags.dryRun === true, await colorsFor(io.stdout, io.env));
  }

  /**
   * @param said `created`, `labeled`, ...
   * @param mood the colour by meaning
   */
  async print(
    resource: Pick<Resource, 'plural'>,
    object: ExtensionObject,
    said: string,
    mood: keyof Colors,
  ): Promise<void> {
    const { output, dryRun } = this;
    if (typeof output === 'object') {
      printTemplate(this.io, output.template, object);
      return;
    }
    if (output === 'json' || output === 'yaml') {
      if (output === 'yaml' && this.#documents > 0) this.io.stdout.write('---\n');
      this.#documents += 1;
      await printValue(this.io, object, output);
      return;
    }
    const subject = getSubject(resource, object.metadata.name);
    const what = output === 'name' ? '' : ` ${this.colors[mood](said)}${dryRun ? ' (dry run)' : ''}`;
    this.io.stdout.paint(`${subject}${what}\n`);
  }
}
