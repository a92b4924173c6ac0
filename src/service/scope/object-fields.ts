import { FieldSet } from '../../lib/json/field-set.js';
import { isRecord } from '../../lib/json/json.js';
import { APPLIED_MANIFESTS, readManifest } from '../../model/applied-manifests.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A set of fields of objects. It leaves out parts of the metadata that repeat other fields: their managers, and their values in the
 * manifests that were applied.
 */
export class ObjectFields extends FieldSet {
  override pick(object: JsonObject): Record<string, unknown> {
    const picked = super.pick(object);
    const { metadata } = picked;
    if (!isRecord(metadata)) return picked;
    const { managedFields: _, ...shown } = metadata;
    const { annotations } = shown;
    if (!isRecord(annotations)) return { ...picked, metadata: shown };
    const manifests = this.#manifestsIn(annotations);
    const others = Object.entries(annotations).filter(([key]) => !isManifest(key));
    return {
      ...picked,
      metadata: { ...shown, annotations: { ...Object.fromEntries(others), ...manifests } },
    };
  }

  override complete(value: JsonObject, before: JsonObject): ReturnType<FieldSet['complete']> {
    const completed = super.complete(value, before);
    if ('unclear' in completed || !isRecord(completed.value)) return completed;
    const [stated, known] = [annotationsOf(value), annotationsOf(before)];
    const shown = annotationsOf(this.pick(before));
    const kept: Record<string, unknown> = {};
    for (const key of APPLIED_MANIFESTS) {
      if (known[key] === undefined) continue;
      if (stated[key] === shown[key]) kept[key] = known[key];
      else if (stated[key] !== undefined) kept[key] = this.#withHidden(stated[key], known[key]);
    }
    if (Object.keys(kept).length === 0) return completed;
    const { metadata } = completed.value;
    const all = { ...annotationsOf(completed.value), ...kept };
    return {
      value: { ...completed.value, metadata: { ...(isRecord(metadata) && metadata), annotations: all } },
    };
  }

  /** Those that can be read, with the fields of the set only. */
  #manifestsIn(annotations: JsonObject): Readonly<Record<string, string>> {
    const shown: Record<string, string> = {};
    for (const key of APPLIED_MANIFESTS) {
      const manifest = readManifest(annotations[key]);
      if (manifest !== undefined) shown[key] = JSON.stringify(this.pick(manifest));
    }
    return shown;
  }

  /** A new manifest with the fields of the earlier one that its sender does not see. */
  #withHidden(stated: unknown, known: unknown): unknown {
    const [manifest, earlier] = [readManifest(stated), readManifest(known)];
    if (manifest === undefined || earlier === undefined) return stated;
    const whole = super.complete(manifest, earlier);
    return 'value' in whole ? JSON.stringify(whole.value) : stated;
  }
}

function isManifest(key: string): boolean {
  return APPLIED_MANIFESTS.some((one) => one === key);
}

function annotationsOf({ metadata }: JsonObject): JsonObject {
  return isRecord(metadata) && isRecord(metadata.annotations) ? metadata.annotations : {};
}
