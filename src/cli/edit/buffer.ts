import { badRequest } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { createMergePatch } from '../../lib/json/merge-patch.js';
import { formatYaml, parseYaml } from '../../lib/json/yaml.js';
import type { ExtensionObject } from '../../model/object.js';
import { LAST_APPLIED } from '../../model/applied-manifests.js';
import { getManifest, withoutLastApplied } from '../output/manifest.js';

export type EditFormat = 'yaml' | 'json';

/** The part of an object for an editor, without the members of the service and `apply`. */
export function getEditablePart(object: ExtensionObject): Record<string, unknown> {
  const { annotations: stated, ...metadata } = object.metadata;
  const annotations = withoutLastApplied(stated);
  return getManifest({ ...object, metadata: { ...metadata, ...(annotations && { annotations }) } });
}

export function formatEdited(value: unknown, format: EditFormat): string {
  return format === 'json' ? `${JSON.stringify(value, undefined, 2)}\n` : formatYaml(value);
}

/** Adds comment lines above a text. */
export function withComment(lines: readonly string[], text: string): string {
  return lines.map((line) => (line === '' ? '#\n' : `# ${line}\n`)).join('') + text;
}

/** Removes the comment lines of a text. */
export function withoutComment(text: string): string {
  return text.replace(/^#.*(?:\r?\n|$)/gm, '');
}

/**
 * Parses a saved text.
 * @throws ServiceError `BadRequest` when it is not one object
 */
export function parseEdited(text: string): Record<string, unknown> {
  const value = parseYaml(text, { filename: 'the text', maxAliases: 1000 });
  if (!isRecord(value)) throw badRequest('the text must contain one object');
  return value;
}

/**
 * The merge patch of the user's changes; undefined without changes.
 * @param shown the content in the editor
 * @param live the object that it was derived from; its hidden members remain
 */
export function findChanges(
  shown: Record<string, unknown>,
  edited: Record<string, unknown>,
  live: ExtensionObject,
): Record<string, unknown> | undefined {
  const patch = createMergePatch(shown, edited);
  if (!isRecord(patch) || Object.keys(patch).length === 0) return undefined;
  return keepHidden(patch, live);
}

/** When all visible annotations are removed, the hidden one must remain. */
function keepHidden(patch: Record<string, unknown>, live: ExtensionObject): Record<string, unknown> {
  const { annotations = {} } = live.metadata;
  const metadata = isRecord(patch.metadata) ? patch.metadata : undefined;
  if (metadata?.annotations !== null || annotations[LAST_APPLIED] === undefined) return patch;
  const removed = Object.keys(annotations).filter((key) => key !== LAST_APPLIED);
  const each = Object.fromEntries(removed.map((key) => [key, null]));
  return { ...patch, metadata: { ...metadata, annotations: each } };
}
