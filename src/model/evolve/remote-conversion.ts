import { createHash } from 'node:crypto';
import { getMessage } from '../../errors.js';
import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import type { ExtensionObject, Metadata } from '../object.js';
import { getApiVersion, type Resource } from '../resource.js';
import { RemoteConversionError, type Conversion } from './conversion.js';
import {
  PendingConversion,
  type ConversionSource,
  type HeldConversions,
  type WantedConversion,
} from './pending-conversion.js';

/**
 * Asks a program to convert objects of one model to a version.
 * @returns the converted objects, in the same order; rejects with an error whose message says why it is not possible
 */
export type ConvertObjects = (
  objects: readonly ExtensionObject[],
  apiVersion: string,
) => Promise<readonly ExtensionObject[]>;

/** Limits of one call. */
const OBJECTS_MAX = 500;
const BYTES_MAX = 8 * 1024 * 1024;
/** Calls for one model at the same time; others wait. */
const CALLS_MAX = 16;

/** The result of a conversion as JSON, or its error. */
type Result = string | RemoteConversionError;

interface HeldResult {
  result: Result | undefined;
  readonly done: Promise<void>;
  holders: number;
}

/**
 * The conversions of a model that another program makes. Results are kept while there is memory for them; errors only
 * while somebody waits for them.
 */
export class RemoteConversion implements ConversionSource {
  readonly #results: Cache<string>;
  readonly #held = new Map<string, HeldResult>();
  readonly #waiting: (() => void)[] = [];
  #calls = 0;

  constructor(
    private readonly ask: ConvertObjects,
    budget: CacheBudget,
  ) {
    this.#results = budget.cache('converted objects');
  }

  /**
   * Converts an object to a version. The argument is not changed.
   * @throws PendingConversion when the program must be asked first; RemoteConversionError
   */
  convert(object: ExtensionObject, apiVersion: string): ExtensionObject {
    const key = keyOf(object, apiVersion);
    const result = this.#held.get(key)?.result ?? this.#results.get(key);
    if (result === undefined) throw PendingConversion.of(this, { key, object, apiVersion });
    if (result instanceof RemoteConversionError) throw result;
    const { labels, annotations, members } = JSON.parse(result) as ConvertedParts;
    const { labels: _l, annotations: _a, ...own } = object.metadata;
    const metadata = { ...own, ...(labels && { labels }), ...(annotations && { annotations }) } as Metadata;
    return { apiVersion, kind: object.kind, metadata, ...members };
  }

  /** The conversion between a version of a model and its storage version. */
  between(
    shown: Resource,
    { group, storageVersion }: Pick<Resource, 'group' | 'storageVersion'>,
  ): Conversion {
    const [stored, other] = [getApiVersion({ group, version: storageVersion }), getApiVersion(shown)];
    return {
      up: (object) => this.convert(object, stored),
      down: (object) => this.convert(object, other),
    };
  }

  async settle(wanted: readonly WantedConversion[]): Promise<HeldConversions> {
    const keys = new Set<string>();
    const missing: WantedConversion[] = [];
    for (const one of wanted) {
      if (keys.has(one.key)) continue;
      keys.add(one.key);
      const known = this.#held.get(one.key);
      if (known === undefined) missing.push(one);
      else known.holders++;
    }
    for (const part of partsOf(missing)) this.#begin(part);
    await Promise.all([...keys].flatMap((key) => this.#held.get(key)?.done ?? []));
    return { release: () => keys.forEach((key) => this.#release(key)) };
  }

  /** Asks for objects of one version. */
  #begin(part: readonly WantedConversion[]): void {
    const asked = this.#call(part);
    for (const [i, { key }] of part.entries()) {
      const done = asked.then((results) => {
        entry.result = results[i];
        if (typeof entry.result === 'string') this.#results.set(key, entry.result, entry.result.length);
      });
      const entry: HeldResult = { result: undefined, holders: 1, done };
      this.#held.set(key, entry);
    }
  }

  async #call(part: readonly WantedConversion[]): Promise<readonly Result[]> {
    const objects = part.map(({ object }) => object);
    while (this.#calls >= CALLS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#calls++;
    try {
      const converted = await this.ask(objects, part[0]?.apiVersion ?? '');
      if (converted.length !== objects.length) throw new Error('not all objects were converted');
      return converted.map(textOf);
    } catch (error) {
      return objects.map((object) => failed(object, getMessage(error)));
    } finally {
      this.#calls--;
      this.#waiting.shift()?.();
    }
  }

  #release(key: string): void {
    const entry = this.#held.get(key);
    if (entry !== undefined && --entry.holders === 0) this.#held.delete(key);
  }
}

function failed(
  { apiVersion, kind, metadata: { name } }: ExtensionObject,
  message: string,
): RemoteConversionError {
  const slash = apiVersion.lastIndexOf('/');
  return new RemoteConversionError(message, { group: apiVersion.slice(0, Math.max(0, slash)), kind, name });
}

/** The parts of a converted object that the program determines. */
interface ConvertedParts {
  readonly labels?: Metadata['labels'];
  readonly annotations?: Metadata['annotations'];
  readonly members: Readonly<Record<string, unknown>>;
}

function textOf({ apiVersion: _v, kind: _k, metadata, ...members }: ExtensionObject): string {
  const { labels, annotations } = metadata;
  return JSON.stringify({ labels, annotations, members } satisfies Record<keyof ConvertedParts, unknown>);
}

/** Identifies all that a conversion may depend on: not what the service sets in each attempt, or revision. */
function keyOf({ metadata, ...object }: ExtensionObject, apiVersion: string): string {
  const {
    uid: _uid,
    resourceVersion: _revision,
    generation: _generation,
    version: _version,
    creationTimestamp: _created,
    updateTimestamp: _updated,
    managedFields: _managers,
    ...stated
  } = metadata;
  const text = JSON.stringify([apiVersion, object, stated]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Parts of one version each, within the limits of a call. */
function partsOf(wanted: readonly WantedConversion[]): readonly (readonly WantedConversion[])[] {
  const parts: WantedConversion[][] = [];
  const open = new Map<string, { readonly part: WantedConversion[]; bytes: number }>();
  for (const one of wanted) {
    const bytes = JSON.stringify(one.object).length;
    let last = open.get(one.apiVersion);
    if (last === undefined || last.part.length >= OBJECTS_MAX || last.bytes + bytes > BYTES_MAX) {
      last = { part: [], bytes: 0 };
      open.set(one.apiVersion, last);
      parts.push(last.part);
    }
    last.part.push(one);
    last.bytes += bytes;
  }
  return parts;
}
