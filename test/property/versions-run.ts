import { expect } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ResourceRef, WatchEvent } from '../../src/service/verbs.js';
import type { Random } from '../helpers/seed.js';
import { openTestService, type TestService } from '../helpers/store.js';
import {
  MIDDLE_TICKET,
  OLD_TICKET,
  registerOldTickets,
  registerTickets,
  TICKET,
} from '../helpers/tickets.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const TITLES = ['ab', 'Abc', 'éé', '😀😀', '\0\0', '__proto__', ' \u2028 ', '"\\"', 'x'.repeat(40)];
const TAGS = ['', 'a', '__proto__', '\ud83d\ude00', 'y'.repeat(70_000)];

/** A ticket's spec in the newest version. */
interface Spec {
  title: string;
  priority: number;
  place?: { city?: string; zip?: string };
  tags?: string[];
}

/** A ticket's spec in the oldest version. */
interface OldSpec {
  subject: string;
  urgent: boolean;
  city?: string;
  tags?: string[];
}

/** The tickets there should be, as the newest version shows them. */
type Tickets = Map<string, Spec>;

/** Random writes in three versions, also of objects that were stored before the newest one was: what each version shows. */
export async function checkVersions(random: Random, steps: number): Promise<void> {
  const tickets: Tickets = new Map();
  const first = await openTestService();
  await registerOldTickets(first);
  for (const name of NAMES.slice(0, 5)) {
    const spec = oldSpec(random);
    await first.service.create(OLD_TICKET, { metadata: { name }, spec });
    tickets.set(name, created(spec));
  }
  await first.close();
  const second = await openTestService(first.directory);
  await registerTickets(second);
  await compareAll(second, tickets, random);
  const watches = await Promise.all([TICKET, OLD_TICKET, MIDDLE_TICKET].map((ref) => follow(second, ref)));
  for (let i = 0; i < steps; i++) {
    const names = NAMES.filter(() => random.chance(0.3));
    await Promise.all(names.map((name) => step(second, tickets, random, name)));
    if (random.chance(0.1)) await compareAll(second, tickets, random);
  }
  const { revision } = { revision: await second.store.revision() };
  compareEvents(await Promise.all(watches.map((watch) => watch.until(revision))));
  await compareAll(second, tickets, random);
  await second.close();
  const third = await openTestService(first.directory);
  await registerTickets(third);
  await compareAll(third, tickets, random);
  if (random.chance(0.5)) {
    await third.service.models.lifecycle.rewrite(third.service.models.table(TICKET));
    await compareAll(third, tickets, random);
  }
  await third.close();
}

function newSpec(random: Random): Spec {
  return {
    title: random.pick(TITLES),
    priority: 1 + random.below(5),
    ...(random.chance(0.6) && {
      place: {
        ...(random.chance(0.6) && { city: random.pick(['Rome', 'Oslo']) }),
        ...(random.chance(0.6) && { zip: random.pick(['1', '2']) }),
      },
    }),
    ...tagsOf(random),
  };
}

function oldSpec(random: Random): OldSpec {
  return {
    subject: random.pick(TITLES),
    urgent: random.chance(0.5),
    ...(random.chance(0.6) && { city: random.pick(['Rome', 'Oslo']) }),
    ...tagsOf(random),
  };
}

function tagsOf(random: Random): { tags?: string[] } {
  return random.chance(0.5) ? { tags: random.many(0, 2, () => random.pick(TAGS)) } : {};
}

function created({ subject, urgent, city, tags }: OldSpec): Spec {
  return {
    title: subject,
    priority: urgent ? 5 : 2,
    ...(city !== undefined && { place: { city } }),
    ...(tags !== undefined && { tags }),
  };
}

function shownOld({ title, priority, place, tags }: Spec): OldSpec {
  return {
    subject: title,
    urgent: priority >= 4,
    ...(place?.city !== undefined && { city: place.city }),
    ...(tags !== undefined && { tags }),
  };
}

function shownMiddle({ title, ...rest }: Spec): object {
  return { headline: title, ...rest };
}

/** The newest version of a ticket after an update of its oldest version. */
function updated(now: Spec, wanted: OldSpec): Spec {
  const before = shownOld(now);
  const next: Spec = { title: wanted.subject, priority: now.priority };
  if (before.urgent !== wanted.urgent) next.priority = wanted.urgent ? 5 : 2;
  const { city: _city, ...place } = now.place ?? {};
  if (wanted.city !== undefined) next.place = { ...place, city: wanted.city };
  else if (Object.keys(place).length > 0 || (now.place !== undefined && before.city === undefined))
    next.place = place;
  if (wanted.tags !== undefined) next.tags = wanted.tags;
  return next;
}

async function step({ service }: TestService, tickets: Tickets, random: Random, name: string): Promise<void> {
  const now = tickets.get(name);
  const isOld = random.chance(0.5);
  const ref = isOld ? OLD_TICKET : random.pick([TICKET, MIDDLE_TICKET]);
  const asOld = oldSpec(random);
  const asNew = newSpec(random);
  const inVersion = isOld ? asOld : ref === TICKET ? asNew : shownMiddle(asNew);
  const verb = random.pick(['create', 'update', 'update', 'patch', 'delete']);
  try {
    switch (verb) {
      case 'create':
        if (now === undefined) tickets.set(name, isOld ? created(asOld) : asNew);
        await service.create(ref, { metadata: { name }, spec: inVersion });
        return;
      case 'update':
        if (now !== undefined) tickets.set(name, isOld ? updated(now, asOld) : asNew);
        await service.update(ref, name, { spec: inVersion });
        return;
      case 'patch':
        if (now !== undefined && isOld)
          tickets.set(name, updated(now, { ...shownOld(now), subject: asOld.subject, urgent: asOld.urgent }));
        else if (now !== undefined) tickets.set(name, { ...now, priority: asNew.priority });
        await service.patch(
          ref,
          name,
          { spec: isOld ? { subject: asOld.subject, urgent: asOld.urgent } : { priority: asNew.priority } },
          'merge',
        );
        return;
      default:
        tickets.delete(name);
        await service.delete(ref, name);
    }
  } catch (error) {
    const expected = (verb === 'create') === (now !== undefined);
    expect(error).toBeInstanceOf(ServiceError);
    expect(expected, error instanceof Error ? error.message : '').toBe(true);
    expect((error as ServiceError).code).toBe(verb === 'create' ? 'AlreadyExists' : 'NotFound');
  }
}

/** Every version shows what it should of each ticket: by name, and in lists. */
async function compareAll(test: TestService, tickets: Tickets, random: Random): Promise<void> {
  const where = `SEED=${random.seed}`;
  const names = [...tickets.keys()].sort();
  const wanted = (show: (spec: Spec) => object): object[] =>
    names.map((name) => show(tickets.get(name) ?? { title: '', priority: 0 }));
  for (const [ref, show] of [
    [TICKET, (spec: Spec) => spec],
    [OLD_TICKET, shownOld],
    [MIDDLE_TICKET, shownMiddle],
  ] as const) {
    const { items } = await test.service.list(ref, { sort: ['metadata.name'] });
    expect(items.map(specOf), where).toEqual(wanted(show));
    for (const item of items) {
      expect(item.apiVersion).toBe(`${ref.group}/${ref.version}`);
      expect(await test.service.get(ref, item.metadata.name), where).toEqual(item);
    }
  }
  const byTitle = await Promise.all(
    [
      [TICKET, 'spec.title'],
      [OLD_TICKET, 'spec.subject'],
      [MIDDLE_TICKET, 'spec.headline'],
    ].map(([ref, field]) =>
      test.service.listNames(ref as ResourceRef, { sort: [`${field as string},desc`] }),
    ),
  );
  expect(byTitle[1], where).toEqual(byTitle[0]);
  expect(byTitle[2], where).toEqual(byTitle[0]);
  expect(await test.check(), where).toEqual([]);
}

function specOf({ spec }: ExtensionObject): object {
  return spec as object;
}

interface Watching {
  /** All events up to a revision, which the watch is ended after. */
  until(revision: number): Promise<WatchEvent[]>;
}

async function follow({ service }: TestService, ref: ResourceRef): Promise<Watching> {
  const { metadata } = await service.list(ref, { size: 1 });
  const events: WatchEvent[] = [];
  const end = new AbortController();
  let last = Number(metadata.resourceVersion);
  const { resourceVersion } = metadata;
  const done = (async () => {
    for await (const event of service.watch(ref, { resourceVersion, signal: end.signal })) {
      events.push(event);
      last = Number(event.object.metadata.resourceVersion);
    }
  })();
  return {
    async until(revision) {
      while (last < revision) await new Promise((resolve) => setTimeout(resolve, 5));
      end.abort();
      await done;
      return events;
    },
  };
}

/** Each watch received the same changes, in its version. */
function compareEvents([now = [], old = [], middle = []]: readonly WatchEvent[][]): void {
  const headOf = ({ type, object }: WatchEvent): object => ({ type, metadata: object.metadata });
  expect(old.map(headOf)).toEqual(now.map(headOf));
  expect(middle.map(headOf)).toEqual(now.map(headOf));
  for (const [i, { object }] of now.entries()) {
    const spec = (object as ExtensionObject).spec as Spec;
    expect((old[i]?.object as ExtensionObject).spec).toEqual(shownOld(spec));
    expect((middle[i]?.object as ExtensionObject).spec).toEqual(shownMiddle(spec));
  }
}
