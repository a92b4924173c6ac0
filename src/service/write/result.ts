import type { FieldSet } from '../../lib/json/field-set.js';
import type { ExtensionObject } from '../../model/object.js';
import { scaleOf, type ScalableResource } from '../../model/scale.js';
import { parseObject } from '../../store/object-record.js';
import type { WriteResult } from '../verbs.js';

/** The effect of a write on its object. */
export type StoredEffect = 'created' | 'changed' | 'none';

/** A {@link WriteResult} as bytes; its object is parsed on demand. */
export class RawWriteResult implements WriteResult {
  #parsed: ExtensionObject | undefined;

  constructor(
    /** The object as JSON. */
    readonly json: Buffer,
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly resourceVersion: string;
    },
    readonly effect: StoredEffect,
    readonly warnings: readonly string[],
  ) {}

  get changed(): boolean {
    return this.effect !== 'none';
  }

  /** The same result with more warnings. */
  with(warnings: readonly string[]): RawWriteResult {
    return new RawWriteResult(this.json, this.metadata, this.effect, [...this.warnings, ...warnings]);
  }

  /** The result with the revision that the object has in the store; 0 or undefined for none. */
  atRevision(stored = 0): RawWriteResult {
    if (!this.changed) return this;
    const { resourceVersion: _, ...metadata } = this.object.metadata;
    const known = stored === 0 ? metadata : { ...metadata, resourceVersion: String(stored) };
    const json = Buffer.from(JSON.stringify({ ...this.object, metadata: known }));
    return new RawWriteResult(json, this.metadata, this.effect, this.warnings);
  }

  /** The result for a sender who sees only some fields; warnings may be about others. */
  seenAs(fields: FieldSet): RawWriteResult {
    const json = Buffer.from(JSON.stringify(fields.pick(this.object)));
    return new RawWriteResult(json, this.metadata, this.effect, []);
  }

  /** The result with the `Scale` of the object. */
  scaleOnly(resource: ScalableResource): RawWriteResult {
    const json = Buffer.from(JSON.stringify(scaleOf(resource, this.object)));
    return new RawWriteResult(json, this.metadata, this.effect, this.warnings);
  }

  get object(): ExtensionObject {
    return (this.#parsed ??= parseObject(this.json));
  }
}

/** The result of a commit. */
export interface RawBatchResult {
  /** Its revision, or that of the store when nothing was stored. */
  readonly resourceVersion: string;
  /** In the order of the requests. */
  readonly items: readonly RawWriteResult[];
}
