import './symbol-metadata.js';
import type { ExtensionMetadata } from '../object.js';

/**
 * Base type of all models. Its fields are declarations only: an instance has no own property until one is assigned,
 * so that a field that was never set is absent.
 */
export abstract class AbstractExtension {
  /** `<group>/<version>`, or only the version for the empty group. */
  declare apiVersion: string;
  declare kind: string;
  declare metadata: ExtensionMetadata;
}
