import { withoutIncluded } from '../../model/included.js';
import type { ExtensionObject, JsonObject, ObjectDraft } from '../../model/object.js';
import { versionKey, type Resource } from '../../model/resource.js';
import { lastApplied, threeWayPatch, withLastApplied } from '../../service/write/patch/three-way.js';
import type { BatchItem, Verbs } from '../../service/verbs.js';
import type { Manifest } from '../input/manifests.js';
import { applyPendingMigrations, dated, type BringingItem } from '../transfer/last-migration.js';

/** The work for one manifest: `item` is the write, undefined when the object has the state already. */
export interface ApplyStep {
  readonly manifest: Manifest;
  readonly item: BatchItem | undefined;
  /** Revision of the object that the step was planned on; undefined when it did not exist. */
  readonly base: string | undefined;
  /** The object of this revision. */
  readonly live: ExtensionObject | undefined;
}

/** The limit of names in one read. */
const NAMES_CHUNK = 500;

/** Compares manifests with the stored objects, and returns the necessary writes in the same order. */
export async function planApply(verbs: Verbs, manifests: readonly Manifest[]): Promise<ApplyStep[]> {
  const steps: ApplyStep[] = [];
  const positions = new Map<string, number[]>();
  for (const [i, { resource }] of manifests.entries()) {
    const key = versionKey(resource);
    const known = positions.get(key);
    if (known === undefined) positions.set(key, [i]);
    else known.push(i);
  }
  for (const ofModel of positions.values()) {
    for (let at = 0; at < ofModel.length; at += NAMES_CHUNK) {
      const chunk = ofModel.slice(at, at + NAMES_CHUNK);
      const wanted = chunk.flatMap((i) => manifests[i] ?? []);
      const resource = wanted[0]?.resource;
      if (resource === undefined) continue;
      const live = await verbs.getMany(
        resource,
        wanted.map(({ name }) => name),
      );
      const planned = await planChunk(
        verbs,
        wanted.map((manifest, k) => ({ manifest, live: live[k] })),
      );
      for (const [k, step] of planned.entries()) steps[chunk[k] ?? 0] = step;
    }
  }
  return steps;
}

/** A manifest and its current object. */
interface Stated {
  readonly manifest: Manifest;
  readonly live: ExtensionObject | undefined;
}

/** Manifests with outstanding migrations are compared in the current shape. */
async function planChunk(verbs: Verbs, stated: readonly Stated[]): Promise<readonly ApplyStep[]> {
  const all = stated.map((one) => ({ ...one, dated: dated(one.manifest, 'of now') }));
  const writes = all.map(({ manifest, live, dated: { value, outstanding } }) =>
    outstanding === undefined ? undefined : wholeWrite(manifest, live, value),
  );
  const brought = await applyPendingMigrations(
    verbs,
    writes.filter((item) => item !== undefined),
  );
  let next = 0;
  return all.map(({ manifest, live, dated: { value } }, i): ApplyStep => {
    const item = writes[i];
    if (item === undefined) return planOne(manifest, value, live);
    const shape = brought[next++];
    if (shape !== undefined) return planOne(manifest, shape, live);
    // It would be refused: the write itself reports the reason.
    return { manifest, item, base: live?.metadata.resourceVersion, live };
  });
}

function wholeWrite(
  { resource, name }: Manifest,
  live: ExtensionObject | undefined,
  value: JsonObject,
): BringingItem {
  const object: ObjectDraft = { ...(value as object) };
  return live === undefined
    ? { verb: 'create', resource, object }
    : { verb: 'update', resource, name, object };
}

/** Compares one manifest with the live object. @param value the manifest's content in the current shape */
function planOne(manifest: Manifest, value: JsonObject, live: ExtensionObject | undefined): ApplyStep {
  const { resource, name } = manifest;
  const wanted = withLastApplied(withoutIncluded(resource, value));
  if (live === undefined) {
    // The same rules as a patch, so that a second apply finds no changes.
    const object = threeWayPatch(undefined, wanted, {});
    return { manifest, item: { verb: 'create', resource, object }, base: undefined, live };
  }
  const current = asJson(live);
  const patch = threeWayPatch(lastApplied(current), wanted, current);
  const base = findRevision(current);
  const item = Object.keys(patch).length === 0 ? undefined : lockedPatch(resource, name, patch, base);
  return { manifest, item, base, live };
}

/** True when the manifest itself states a resource version: then it causes its own conflict. */
export function statesLock({ value }: Manifest): boolean {
  const metadata = getMembers(value.metadata);
  return (metadata.version ?? metadata.resourceVersion ?? null) !== null;
}

/** The manifest without its stated lock: it is then written on any state. */
export function withoutLock(manifest: Manifest): Manifest {
  if (!statesLock(manifest)) return manifest;
  const { version: _v, resourceVersion: _r, ...metadata } = getMembers(manifest.value.metadata);
  return { ...manifest, value: { ...manifest.value, metadata } };
}

/** A patch computed from a state may only be written on that state. */
function lockedPatch(
  resource: Resource,
  name: string,
  patch: JsonObject,
  base: string | undefined,
): BatchItem {
  const metadata = getMembers(patch.metadata);
  const isLocked = 'resourceVersion' in metadata || base === undefined;
  const locked = isLocked ? patch : { ...patch, metadata: { ...metadata, resourceVersion: base } };
  return { verb: 'patch', resource, name, patch: locked, type: 'merge' };
}

function findRevision(object: JsonObject): string | undefined {
  const { resourceVersion } = getMembers(object.metadata);
  return typeof resourceVersion === 'string' ? resourceVersion : undefined;
}

/** Stored objects are JSON. */
function asJson(object: ExtensionObject): JsonObject {
  return { ...(object as object) };
}

function getMembers(value: JsonObject[string]): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
