import './symbol-metadata.js';
import type { ExtensionMetadata } from '../object.js';

/**
 * Base type of all models. Its fields are declarations only: an instance has no own property until one
 * is assigned, so that what was never set is not there either.
 */
export abstract class AbstractExtension {
  /** `<group>/<version>`, or the bare version for the empty group. */
  declare apiVersion: string;
  declare kind: string;
  declare metadata: ExtensionMetadata;
}
