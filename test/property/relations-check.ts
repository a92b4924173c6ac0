import { expect } from 'vitest';
import type { DaemonProcess } from '../helpers/daemon.js';
import { openStream, type OpenStream } from '../helpers/watching.js';
import { API_VERSION, type RelatedModel } from './relations-models.js';
import type { RelatedObject } from './relations-writes.js';
import { introduced } from './rule-pairs.js';

/** The stored objects, followed through watches, so that every single change is checked. */
export interface Followed {
  readonly models: readonly RelatedModel[];
  readonly daemons: readonly DaemonProcess[];
  /** As of the last change that came, by kind and name. */
  readonly objects: ReadonlyMap<string, RelatedObject>;
  /** Names without a target, as of the last check. */
  dangling: ReadonlySet<string>;
  /** Number of received changes. */
  changes: number;
  /** Takes what has come. @returns violations that a change introduced */
  take(): string[];
}

const listOf = ({ plural }: RelatedModel): string => `/apis/${API_VERSION}/${plural}`;

/** Follows what is stored through one daemon, and compares it with what both list. Nobody may write meanwhile. */
export async function followModels(
  models: readonly RelatedModel[],
  ...daemons: readonly [DaemonProcess, DaemonProcess]
): Promise<Followed> {
  const [watched] = daemons;
  const objects = new Map<string, RelatedObject>();
  for (const object of await listAll(watched, models)) objects.set(keyOf(object), object);
  const streams = await Promise.all(models.map((model) => openWatch(watched, model)));
  const taken = streams.map(() => 0);
  const followed: Followed = {
    models,
    daemons,
    objects,
    dangling: new Set(danglingOf(models, [...objects.values()])),
    changes: 0,
    take() {
      return streams.flatMap((stream, i) => {
        const events = stream.events().slice(taken[i]);
        taken[i] = (taken[i] ?? 0) + events.length;
        followed.changes += events.length;
        return events.flatMap(({ type, object }) => judge(objects, models[i], type, object as never));
      });
    },
  };
  return followed;
}

async function openWatch(daemon: DaemonProcess, model: RelatedModel): Promise<OpenStream> {
  const { metadata } = (await daemon.get(`${listOf(model)}?size=1`)).json();
  const revision = String(metadata.resourceVersion);
  return openStream(`${daemon.url}${listOf(model)}?watch=true&resourceVersion=${revision}`);
}

async function listAll(
  daemon: DaemonProcess,
  models: readonly RelatedModel[],
): Promise<readonly RelatedObject[]> {
  const lists = await Promise.all(models.map((model) => daemon.get(listOf(model))));
  return lists.flatMap((list) => list.json().items as unknown as readonly RelatedObject[]);
}

const keyOf = ({ kind, metadata: { name } }: RelatedObject): string => `${kind}/${name}`;

function judge(
  objects: Map<string, RelatedObject>,
  model: RelatedModel | undefined,
  type: string,
  object: RelatedObject,
): readonly string[] {
  if (type === 'ERROR') return [`a watch has ended: ${JSON.stringify(object)}`];
  const known = objects.get(keyOf(object));
  if (type === 'DELETED') {
    objects.delete(keyOf(object));
    return [];
  }
  objects.set(keyOf(object), object);
  const old = known?.metadata.uid === object.metadata.uid ? known : undefined;
  return introduced(model?.rules ?? [], object.spec, old?.spec).map(
    (rule) => `${rule} by ${JSON.stringify(object)} after ${JSON.stringify(old)}`,
  );
}

/** Names without a target in objects that are not being deleted. */
function danglingOf(models: readonly RelatedModel[], objects: readonly RelatedObject[]): readonly string[] {
  const keys = new Set(objects.map(keyOf));
  return objects.flatMap((object) => {
    const { metadata, kind, spec } = object;
    if (metadata.deletionTimestamp !== undefined) return [];
    const fields = models.find((model) => model.kind === kind)?.fields ?? [];
    return fields.flatMap(({ name, to }) =>
      [(spec[name] ?? []) as string | string[]]
        .flat()
        .filter((value) => !keys.has(`${to}/${value}`))
        .map((value) => `${keyOf(object)} ${metadata.uid}: ${name} -> ${to} ${value}`),
    );
  });
}

/** Looks at what is stored while nobody writes. */
export async function checkRound(followed: Followed, context: string): Promise<void> {
  const { models, daemons, objects } = followed;
  const lists = await Promise.all(daemons.map((daemon) => listAll(daemon, models)));
  const [listed = [], other] = lists;
  expect(other, context).toEqual(listed);
  const violations: string[] = [];
  const seen = (): unknown => {
    violations.push(...followed.take());
    return { violations, objects: byKey([...objects.values()]) };
  };
  await expect
    .poll(seen, { message: context, interval: 5 })
    .toEqual({ violations: [], objects: byKey(listed) });
  const dangling = danglingOf(models, listed);
  // Only objects stored before the references were declared are dangling, and their number does not grow.
  expect(
    dangling.filter((name) => !followed.dangling.has(name)),
    context,
  ).toEqual([]);
  followed.dangling = new Set(dangling);
}

function byKey(objects: readonly RelatedObject[]): Readonly<Record<string, RelatedObject>> {
  return Object.fromEntries(objects.map((object) => [keyOf(object), object]));
}
