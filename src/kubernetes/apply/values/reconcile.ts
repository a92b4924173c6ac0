import { fieldOf } from '../paths/element.js';
import { PathSet, type PathNode } from '../paths/path-set.js';
import { DEDUCED, memberType, UNTYPED, type ValueKinds, type MapType } from '../types/field-type.js';

/**
 * A set after its type changed: of lists and maps that became atomic, an owner of parts owns the whole. A list or map that became granular keeps
 * its owner as one value.
 * @returns the set itself when nothing changed
 */
export function reconcile(set: PathSet, type: ValueKinds): PathSet {
  let isChanged = false;
  const out = new PathSet();
  for (const [element, node] of set.nodes) {
    const name = fieldOf(element);
    const below = childType(type, name);
    const next = below === undefined ? node : reconcileNode(node, below);
    isChanged ||= next !== node;
    out.put(element, next);
  }
  return isChanged ? out : set;
}

function childType({ map, scalar, list }: ValueKinds, name: string | undefined): ValueKinds | undefined {
  if (map !== undefined) {
    if (isOpen(map)) return undefined;
    return name === undefined ? map.others : memberType(map, name);
  }
  return scalar === undefined ? list?.items : undefined;
}

const WHOLE: PathNode = { isMember: true, below: undefined };

function reconcileNode(node: PathNode, type: ValueKinds): PathNode {
  const { isMember, below } = node;
  if (below === undefined) return node;
  const { map, scalar, list } = type;
  if (map !== undefined) {
    if (isOpen(map)) return node;
    if (map.isAtomic) return WHOLE;
  } else if (scalar !== undefined) return node;
  else if (list?.relation === 'atomic') return WHOLE;
  const next = reconcile(below, type);
  return next === below ? node : { isMember, below: next };
}

/** True for a map that declares nothing, so that nothing is known of its members. */
function isOpen({ others, hasFields }: MapType): boolean {
  return (
    !hasFields &&
    others !== undefined &&
    others !== UNTYPED &&
    (others === DEDUCED || others.scalar === 'untyped')
  );
}
