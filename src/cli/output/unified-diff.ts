import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { formatYaml } from '../../lib/json/yaml.js';
import type { ExtensionObject } from '../../model/object.js';
import type { CliIo } from '../io.js';
import { colorsFor, type Colors } from './colors.js';
import { escapeLines } from '../../lib/escape-controls.js';
import { getManifest, withoutLastApplied } from './manifest.js';

/** The name of a side of a difference without an object. */
const NOTHING = '/dev/null';

/** One side: the object and its origin. */
export interface Side {
  readonly title: string;
  readonly object: ExtensionObject | undefined;
}

/**
 * The unified diff of two states of an object as YAML, without the members of the service and `apply`; empty when they are equal.
 */
export function unifiedDiff(before: Side, after: Side): string {
  const [from, to] = [formatText(before.object), formatText(after.object)];
  if (from === to) return '';
  const formatTitle = ({ title, object }: Side): string => (object === undefined ? NOTHING : title);
  return createTwoFilesPatch(formatTitle(before), formatTitle(after), from, to, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

/** Prints the difference. @returns true when the sides differ */
export async function printDiff(io: CliIo, before: Side, after: Side): Promise<boolean> {
  const text = unifiedDiff(before, after);
  const shown = io.stdout.isTTY ? escapeLines(text) : text;
  io.stdout.paint(colorDiff(shown, await colorsFor(io.stdout, io.env)));
  return text !== '';
}

/** The diff with its lines coloured by meaning. */
export function colorDiff(text: string, colors: Colors): string {
  return text.replace(/^.+$/gm, (line) => {
    if (line.startsWith('+++') || line.startsWith('---')) return colors.strong(line);
    if (line.startsWith('@@')) return colors.faint(line);
    if (line.startsWith('+')) return colors.good(line);
    return line.startsWith('-') ? colors.bad(line) : line;
  });
}

function formatText(object: ExtensionObject | undefined): string {
  if (object === undefined) return '';
  const { annotations: stated, ...metadata } = object.metadata;
  const annotations = withoutLastApplied(stated);
  return formatYaml(
    getManifest({ ...object, metadata: { ...metadata, ...(annotations && { annotations }) } }),
  );
}
