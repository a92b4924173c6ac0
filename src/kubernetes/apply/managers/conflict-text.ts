import { SCALE_VERSION } from '../../../model/scale.js';
import { fieldElement, formatPath } from '../paths/element.js';
import type { Conflict } from './managed.js';
import { keyOf, nameOf } from './state.js';

/** A conflict as Kubernetes names it. */
export interface ConflictCause {
  readonly field: string;
  readonly message: string;
}

const REPLICAS = [fieldElement('spec'), fieldElement('replicas')];

/** A conflict about the replicas of an object, as one of its `Scale`. */
export function inScale({ manager }: Conflict): Conflict {
  return { manager: keyOf({ ...nameOf(manager), apiVersion: SCALE_VERSION }), path: REPLICAS };
}

export function formatConflict({ manager, path }: Conflict): ConflictCause {
  return { field: formatPath(path), message: `conflict with ${formatManager(manager)}` };
}

/** Such as `"kubectl" with subresource "status" using apps/v1`. */
function formatManager(key: string): string {
  const { manager, operation, apiVersion, subresource } = nameOf(key);
  const place = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === 'Apply' ? '' : ` using ${apiVersion}`;
  return `${JSON.stringify(manager)}${place}${version}`;
}

/** The message of a refused apply. */
export function formatConflicts(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    const { field, message } = formatConflict(first);
    return `Apply failed with 1 conflict: ${message}: ${field}`;
  }
  const lines = new Map<string, string[]>();
  for (const { manager, path } of conflicts) {
    const known = lines.get(manager) ?? [`conflicts with ${formatManager(manager)}:`];
    known.push(`- ${formatPath(path)}`);
    lines.set(manager, known);
  }
  const parts = [...lines.keys()].sort().map((manager) => (lines.get(manager) ?? []).join('\n'));
  return `Apply failed with ${conflicts.length} conflicts: ${parts.join('\n')}`;
}
