import { expect } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { ExtensionObject, OwnerReference } from '../../src/model/object.js';
import { ownerReference } from '../../src/model/owner-references.js';
import { Collector } from '../../src/owners/collector.js';
import type { BatchItem } from '../../src/service/verbs.js';
import { Random } from '../helpers/seed.js';
import { openTestService, type TestService } from '../helpers/store.js';
import { msUntil } from '../helpers/mailer.js';
import { REFERENCE_GROUP } from './reference-fields.js';
import { HOLD, randomItem, randomModels, type RandomModel } from './references-run.js';

const REFUSED = ['NotFound', 'AlreadyExists', 'Conflict', 'Invalid'];

interface Done {
  readonly revision: string;
  readonly before: readonly string[];
}

/** A way to write and to undo. */
export interface UndoDoor {
  /** @returns the revision; undefined when nothing was written */
  write(items: readonly BatchItem[]): Promise<string | undefined>;
  /** @throws Error with the reason */
  undo(revision: string): Promise<void>;
  close(): Promise<void>;
}

/** In process. */
export const openDirectly = ({ service }: TestService): Promise<UndoDoor> =>
  Promise.resolve({
    async write(items) {
      try {
        const { resourceVersion, items: results } = await service.batch(items);
        return results.some(({ changed }) => changed) ? resourceVersion : undefined;
      } catch (error) {
        if (error instanceof ServiceError && REFUSED.includes(error.code)) return undefined;
        throw error;
      }
    },
    undo: async (revision) => {
      await service.undoCommit(revision);
    },
    close: () => Promise.resolve(),
  });

/**
 * Random commits with cascades, owners and finalizers, then the undo of each in reverse: all objects must be as before, byte by
 * byte.
 * @param cascadeMax so many objects that go along are one commit; the rest follows
 * @returns the number of commits that were undone
 */
export async function checkUndo(
  seed: number,
  { commits, cascadeMax }: { readonly commits: number; readonly cascadeMax: number },
  open = openDirectly,
): Promise<number> {
  const random = new Random(seed);
  const models = [leafModel(), ...randomModels(random)] as const;
  const t = await openTestService(undefined, {}, { cascadeMax });
  for (const { model } of models) await t.register(model);
  const ending = new AbortController();
  const collecting = new Collector(t.service, SILENT, ending.signal).run();
  const door = await open(t);
  const done: Done[] = [];
  for (let round = 0; round < commits; round++) {
    const before = await readAll(t, models);
    const items = await randomItems(random, t, models);
    const revision = await door.write(items);
    if (revision !== undefined) done.push({ revision, before });
    await settle(t, models);
  }
  for (const { revision, before } of done.toReversed()) {
    await undo(door, revision, before);
    await settle(t, models);
    expect(await readAll(t, models), `SEED=${seed}, revision ${revision}`).toEqual(before);
  }
  await door.close();
  ending.abort();
  await collecting;
  expect(await t.check()).toEqual([]);
  await t.close();
  return done.length;
}

async function undo(door: UndoDoor, revision: string, before: readonly string[]): Promise<void> {
  try {
    await door.undo(revision);
  } catch (error) {
    const isUnchanged = error instanceof Error && error.message.includes('nothing is left');
    if (!isUnchanged) throw new Error(`revision ${revision}, before: ${before.join('\n')}`, { cause: error });
  }
}

const LEAF_NAMES = ['m', 'n', 'o', 'p', 'q'];

/** Nothing refers to it, so the collector may always delete it. */
function leafModel(): RandomModel {
  class Leaf extends AbstractExtension {
    static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
  }
  const ref = { group: REFERENCE_GROUP, version: 'v1', kind: 'Leaf', plural: 'leafs' };
  GVK({ ...ref, singular: 'leaf' })(Leaf);
  return { model: Leaf, ref, fields: [] };
}

async function randomItems(
  random: Random,
  t: TestService,
  [leaf, ...models]: readonly [RandomModel, ...RandomModel[]],
): Promise<readonly BatchItem[]> {
  const owners = (await listAll(t, [leaf, ...models])).map((object) => ownerReference(object));
  return random.many(1, random.chance(0.2) ? 5 : 1, () =>
    random.chance(0.3) ? randomLeaf(random, leaf, owners) : randomItem(random, models),
  );
}

function randomLeaf(random: Random, { ref }: RandomModel, owners: readonly OwnerReference[]): BatchItem {
  const name = random.pick(LEAF_NAMES);
  if (random.chance(0.2)) return { verb: 'delete', resource: ref, name };
  const ownerReferences = owners.length === 0 ? [] : random.many(1, 2, () => random.pick(owners));
  return { verb: 'create', resource: ref, object: { metadata: { name, ownerReferences }, spec: {} } };
}

/** Waits for the collector and cascades, and finishes the work of finalizers as a controller does. */
async function settle(t: TestService, models: readonly RandomModel[]): Promise<void> {
  await msUntil('all deletions are finished', async () => {
    await t.service.finishCascades();
    const objects = await listAll(t, models);
    const uids = new Set(objects.map(({ metadata }) => metadata.uid));
    const going = objects.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const orphans = objects.filter(({ metadata: { ownerReferences = [] } }) =>
      ownerReferences.some(({ uid }) => !uids.has(uid)),
    );
    for (const { kind, metadata } of going) await release(t, models, kind, metadata);
    return going.length === 0 && orphans.length === 0;
  });
}

async function release(
  { service }: TestService,
  models: readonly RandomModel[],
  kind: string,
  { name, finalizers = [] }: ExtensionObject['metadata'],
): Promise<void> {
  const model = models.find(({ ref }) => ref.kind === kind);
  if (model === undefined || !finalizers.includes(HOLD)) return;
  const patch = { metadata: { finalizers: finalizers.filter((one) => one !== HOLD) } };
  await service.patch(model.ref, name, patch, 'merge').catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'NotFound') throw error;
  });
}

async function listAll(
  { service }: TestService,
  models: readonly RandomModel[],
): Promise<readonly ExtensionObject[]> {
  const pages = await Promise.all(models.map(({ ref }) => service.list(ref)));
  return pages.flatMap(({ items }) => items);
}

/** All objects as JSON in the order of their members, without the fields that count changes. */
async function readAll(t: TestService, models: readonly RandomModel[]): Promise<readonly string[]> {
  return (await listAll(t, models))
    .map(({ metadata, ...rest }) => {
      const { resourceVersion: _r, generation: _g, version: _v, updateTimestamp: _u, ...kept } = metadata;
      return JSON.stringify({ ...rest, metadata: kept });
    })
    .sort();
}
