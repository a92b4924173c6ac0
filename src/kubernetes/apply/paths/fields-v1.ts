import { formatExcerpt } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import type { JsonObject } from '../../../model/object.js';
import { ElementFault, inOrder, readElement, type PathElement } from './element.js';
import { PathSet, type PathNode } from './path-set.js';

/** A `fieldsV1` that cannot be read. */
export class FieldsFault extends Error {}

/** The member that says that the field itself is in the set, beside fields below it. */
const SELF = '.';

/**
 * Reads the set of a `fieldsV1`. Steps of unknown kinds are left out.
 * @throws FieldsFault
 */
export function readFields(value: unknown): PathSet {
  return readNode(value).below ?? new PathSet();
}

function readNode(value: unknown): PathNode {
  if (value === null || value === undefined) return { isMember: true, below: undefined };
  if (!isRecord(value)) throw new FieldsFault(`has ${formatExcerpt(JSON.stringify(value))} for an object`);
  let isMember = false;
  const below = new PathSet();
  for (const [key, child] of Object.entries(value)) {
    if (key === SELF) isMember = true;
    else {
      const element = read(key);
      if (element !== undefined) add(below, element, readNode(child));
    }
  }
  return below.isEmpty ? { isMember: true, below: undefined } : { isMember, below };
}

/** Different texts may mean one step. */
function add(set: PathSet, element: PathElement, node: PathNode): void {
  const known = set.nodes.get(element);
  const isMember = node.isMember || known?.isMember === true;
  set.put(element, { isMember, below: node.below ?? known?.below });
}

function read(key: string): PathElement | undefined {
  try {
    return readElement(key);
  } catch (error) {
    if (!(error instanceof ElementFault)) throw error;
    throw new FieldsFault(`has the key ${formatExcerpt(JSON.stringify(key))}, which ${error.message}`);
  }
}

/** The `fieldsV1` of a set, with its members in the order of Kubernetes. */
export function writeFields(set: PathSet): JsonObject {
  return writeNode(set, false);
}

function writeNode(set: PathSet, isMember: boolean): JsonObject {
  const out: JsonObject = isMember ? { [SELF]: {} } : {};
  for (const element of inOrder(set.nodes.keys())) {
    const node = set.nodes.get(element);
    out[element] = node?.below === undefined ? {} : writeNode(node.below, node.isMember);
  }
  return out;
}
