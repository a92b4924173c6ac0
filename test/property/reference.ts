import type { ErrorCode } from '../../src/errors.js';

/** One object in the reference: only the parts that the rules of the verbs mention. */
export interface Kept {
  spec: { nick?: string; age?: number };
  status: number | undefined;
  finalizers: readonly string[];
  version: number;
  generation: number;
  deleting: boolean;
}

export interface Change {
  readonly spec: Kept['spec'];
  readonly status: number | undefined;
  readonly finalizers: readonly string[];
  /** The version that the writer believes in. */
  readonly lock: number | undefined;
}

/** Either the answer of a verb or the code of its refusal. */
export type Outcome = Kept | ErrorCode;

/** The rules of the verbs on a plain map, written without any of the code under test. */
export class Reference {
  readonly objects = new Map<string, Kept>();

  create(name: string, { spec, status, finalizers }: Change): Outcome {
    if (this.objects.has(name) || this.isTaken(name, spec.nick)) return 'AlreadyExists';
    const object: Kept = { spec, status, finalizers, version: 0, generation: 1, deleting: false };
    this.objects.set(name, object);
    return object;
  }

  update(name: string, change: Change): Outcome {
    const old = this.objects.get(name);
    if (old === undefined) return 'NotFound';
    if (change.lock !== undefined && change.lock !== old.version) return 'Conflict';
    if (old.deleting && change.finalizers.some((one) => !old.finalizers.includes(one))) return 'Invalid';
    const next = {
      ...old,
      spec: change.spec,
      status: change.status ?? old.status,
      finalizers: change.finalizers,
    };
    return this.store(name, old, next);
  }

  setStatus(name: string, status: number): Outcome {
    const old = this.objects.get(name);
    return old === undefined ? 'NotFound' : this.store(name, old, { ...old, status });
  }

  delete(name: string): Outcome {
    const old = this.objects.get(name);
    if (old === undefined) return 'NotFound';
    return old.deleting ? old : this.store(name, old, { ...old, deleting: true });
  }

  private store(name: string, old: Kept, wanted: Kept): Outcome {
    if (same(old, wanted)) return old;
    const isGone = wanted.deleting && wanted.finalizers.length === 0;
    if (!isGone && this.isTaken(name, wanted.spec.nick)) return 'AlreadyExists';
    const generation = old.generation + (same(old.spec, wanted.spec) ? 0 : 1);
    const next = { ...wanted, version: old.version + 1, generation };
    if (isGone) this.objects.delete(name);
    else this.objects.set(name, next);
    return next;
  }

  private isTaken(name: string, nick: string | undefined): boolean {
    return (
      nick !== undefined &&
      [...this.objects].some(([other, { spec }]) => other !== name && spec.nick === nick)
    );
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
