import type { ExtensionObject } from '../../src/model/object.js';
import type { BatchItem, ResourceRef } from '../../src/service/verbs.js';
import type { World } from './world.js';

/** A state of an object, as much as is compared. */
export interface Seen {
  readonly name: string;
  readonly op: string;
  readonly level: number;
  readonly revision: number;
}

/** A write that a client has sent once. */
export interface Write {
  readonly model: ResourceRef;
  readonly name: string;
  readonly verb: BatchItem['verb'];
  readonly op: string;
  /** The newest revision that any client had seen before. */
  readonly floor: number;
  /** The revision of the object that an update is of. */
  readonly basedOn?: number | undefined;
  /** Undefined while its outcome is unknown. */
  outcome?: { readonly revision: number; readonly changed: boolean } | { readonly refused: string };
}

/** What a read requests: objects of at least a level, a page of them. */
export interface Question {
  readonly model: ResourceRef;
  readonly level: number;
  readonly sort?: 'level';
  readonly page?: number;
  readonly size?: number;
}

/** What a client knew when it began to read. */
export interface Known {
  readonly floor: number;
  /** True when readers could miss an answered commit. */
  readonly wasBehind: boolean;
}

/** A list, or a part of one. */
export interface Answer extends Known {
  readonly revision: number;
  readonly total: number;
  readonly items: readonly Seen[];
}

export interface Read extends Answer {
  readonly question: Question;
}

/** A list in parts, from the first to the last. */
export interface Walk {
  readonly question: Question;
  readonly limit: number;
  readonly parts: Answer[];
}

/** The read of one object. */
export interface Get extends Known {
  readonly model: ResourceRef;
  readonly name: string;
  /** 0 when it did not exist. */
  readonly revision: number;
}

/** The read of one object as it was at a revision. */
export interface PastGet extends Pick<Get, 'model' | 'name' | 'revision'> {
  readonly at: number;
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
  /** Each entry is one commit. */
  readonly writes: (readonly Write[])[] = [];
  readonly reads: Read[] = [];
  readonly walks: Walk[] = [];
  readonly gets: Get[] = [];
  readonly pastGets: PastGet[] = [];
  readonly segments: Segment[] = [];
  /** The newest revision that any client has seen. */
  floor = 0;

  constructor(private readonly world: World) {}

  /** Begins a read. @returns what is known about it at its end */
  begin(): () => Known {
    const { nowMs } = this.world.scheduler;
    const { floor } = this;
    return () => ({ floor, wasBehind: this.world.medium.wasBehindSince(nowMs) });
  }

  see(revision: number): void {
    this.floor = Math.max(this.floor, revision);
  }
}

export function seen({ metadata, spec }: ExtensionObject): Seen {
  const { op, level } = spec as { readonly op: string; readonly level: number };
  return { name: metadata.name, op, level, revision: Number(metadata.resourceVersion) };
}
