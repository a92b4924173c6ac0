import type { ExtensionObject } from '../../src/model/object.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import type { World } from './world.js';

/** A state of an object, as much as is compared. */
export interface Seen {
  readonly name: string;
  readonly op: string;
  readonly revision: number;
}

/** A write that a client has sent once. */
export interface Write {
  readonly model: ResourceRef;
  readonly name: string;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly op: string;
  /** The newest revision that any client had seen before. */
  readonly floor: number;
  /** The revision of the object that an update is of. */
  readonly basedOn?: number;
  /** Undefined while its outcome is unknown. */
  outcome?: { readonly revision: number } | { readonly refused: string };
}

/** What a read requests: objects of at least a level, a page of them. */
export interface Question {
  readonly model: ResourceRef;
  readonly level: number;
  readonly sort?: 'level';
  readonly page?: number;
  readonly size?: number;
}

export interface Read {
  readonly question: Question;
  readonly floor: number;
  /** True when readers could miss an answered commit. */
  readonly wasBehind: boolean;
  readonly revision: number;
  readonly total: number;
  readonly items: readonly Seen[];
}

/** The read of one object. */
export interface Get {
  readonly model: ResourceRef;
  readonly name: string;
  readonly floor: number;
  readonly wasBehind: boolean;
  /** 0 when it did not exist. */
  readonly revision: number;
}

/** Consecutive events of a watch. */
export interface Segment {
  readonly question: Question;
  readonly after: number;
  readonly events: (Seen & { readonly type: string })[];
  /** All events up to this revision were received. */
  until: number;
}

/** Everything that clients have seen. */
export class History {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly gets: Get[] = [];
  readonly segments: Segment[] = [];
  /** The newest revision that any client has seen. */
  floor = 0;

  constructor(private readonly world: World) {}

  /** Begins a read. @returns what is known about it at its end */
  begin(): () => { readonly floor: number; readonly wasBehind: boolean } {
    const { nowMs } = this.world.scheduler;
    const { floor } = this;
    return () => ({ floor, wasBehind: this.world.disk.wasBehindSince(nowMs) });
  }

  see(revision: number): void {
    this.floor = Math.max(this.floor, revision);
  }
}

export function seen({ metadata, spec }: ExtensionObject): Seen {
  const { op } = spec as { readonly op: string };
  return { name: metadata.name, op, revision: Number(metadata.resourceVersion) };
}
