import { compareTexts } from '../../lib/compare-texts.js';
import { isRecord } from '../../lib/json/json.js';
import { KUBECTL_LAST_APPLIED } from '../../model/applied-manifests.js';
import type { ObjectDraft } from '../../model/object.js';
import type { AppliedFields } from '../../service/write/apply/field-managers.js';
import type { ManagerOfWrite } from './managers/field-manager.js';
import { difference } from './paths/algebra.js';
import { NO_PATHS, type PathSet } from './paths/path-set.js';
import type { TypedValue } from './types/field-type.js';
import { findTypeFaults } from './values/check.js';
import { compare } from './values/compare.js';
import { fieldsOf } from './values/fields.js';
import { parseOrUndefined } from '../../client/status.js';

/** Only this manager goes from one kind of apply to the other. */
const KUBECTL = 'kubectl';

/**
 * The fields that kubectl applied without server-side apply, and that still have these values: its first server-side apply may take
 * them from others.
 */
export function lastAppliedFields(
  { manager, apiVersion }: ManagerOfWrite,
  { value, type }: TypedValue,
): PathSet {
  const text = manager === KUBECTL ? annotationOf(value) : undefined;
  // Anyone may write annotations.
  const lastApplied = text === undefined ? undefined : parseOrUndefined(text);
  if (!isRecord(lastApplied) || lastApplied.apiVersion !== apiVersion) return NO_PATHS;
  if (findTypeFaults({ value: lastApplied, type }).length > 0) return NO_PATHS;
  const { removed, modified, added } = compare(lastApplied, value, type);
  return [modified, added, removed].reduce(difference, fieldsOf({ value: lastApplied, type }));
}

/** The object with what kubectl applies in its annotation, when it has the annotation already. */
export function withLastApplied(
  { manager, applied }: Pick<AppliedFields, 'manager' | 'applied'>,
  object: ObjectDraft,
): ObjectDraft {
  const text = manager === KUBECTL ? annotationOf(object) : undefined;
  if (text === undefined) return object;
  const { [KUBECTL_LAST_APPLIED]: _, ...annotations } = applied.metadata?.annotations ?? {};
  const { annotations: _a, ...stated } = applied.metadata ?? {};
  const metadataOfNext = { ...stated, ...(Object.keys(annotations).length > 0 && { annotations }) };
  const next = `${sortedJson({ ...applied, metadata: metadataOfNext })}\n`;
  const metadata = {
    ...object.metadata,
    annotations: { ...object.metadata?.annotations, [KUBECTL_LAST_APPLIED]: next },
  };
  return { ...object, metadata };
}

/** With sorted members, as Kubernetes writes it. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => compareTexts(a, b)))
      : member,
  );
}

function annotationOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object.metadata : undefined;
  const annotations = isRecord(metadata) ? metadata.annotations : undefined;
  const text = isRecord(annotations) ? annotations[KUBECTL_LAST_APPLIED] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
