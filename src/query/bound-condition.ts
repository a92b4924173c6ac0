/** A limit whose value is encoded. */
export interface BoundLimit {
  readonly value: Buffer;
  readonly inclusive: boolean;
}

export type TextKind = 'startsWith' | 'endsWith' | 'contains' | 'equals';

/** Names of objects that meet a condition. */
export interface TargetNames {
  /** Equal for equal names. */
  readonly key: string;
  readonly shown: string;
  /** True when it is cheaper to compare all values of the index with them. */
  readonly areMany: boolean;
}

/**
 * A condition that can be compared with index entries byte by byte. Its fields are positions in `resource.indexes`
 * (or `NAME`), and its values are encoded. Normal form: `and` and `or` have at least two members, and no member is of
 * the same kind, `all` or `none`. The member of `not` is neither `not`, `and`, `or`, `all` nor `none`. The values of
 * `in` are distinct, in order and at least one.
 */
export type BoundCondition =
  | { readonly op: 'all' }
  | { readonly op: 'none' }
  | { readonly op: 'and' | 'or'; readonly of: readonly BoundCondition[] }
  | { readonly op: 'not'; readonly of: BoundCondition }
  | {
      readonly op: 'in';
      readonly index: number;
      readonly values: readonly Buffer[];
      /** Present when the values are the names of the targets of a reference. */
      readonly targets?: TargetNames;
    }
  | { readonly op: 'range'; readonly index: number; readonly from?: BoundLimit; readonly to?: BoundLimit }
  | { readonly op: 'isNull'; readonly index: number }
  | { readonly op: 'prefix'; readonly index: number; readonly prefix: Buffer }
  | {
      readonly op: 'text';
      readonly kind: TextKind;
      readonly index: number;
      /** In lower case when `ignoreCase`. */
      readonly text: string;
      readonly ignoreCase: boolean;
      /** Only values with this prefix count; the comparison reads the part after the prefix. */
      readonly after?: Buffer;
    }
  /** One single value meets the whole condition, in which every field is this one. */
  | { readonly op: 'any'; readonly index: number; readonly of: BoundCondition };

/**
 * A text form of the condition, the same for conditions that differ only in the order of `and` and `or` members. It
 * serves as a key of caches and continue tokens, not for display.
 */
export function canonical(bound: BoundCondition): string {
  switch (bound.op) {
    case 'all':
    case 'none':
      return bound.op;
    case 'and':
    case 'or':
      return `${bound.op}(${bound.of.map(canonical).sort().join(',')})`;
    case 'not':
      return `not(${canonical(bound.of)})`;
    case 'in':
      if (bound.targets !== undefined) return `ref(${bound.index}:${bound.targets.key})`;
      return `in(${bound.index}:${bound.values.map(hex).join(',')})`;
    case 'range':
      return `range(${bound.index}:${limit(bound.from)},${limit(bound.to)})`;
    case 'isNull':
      return `isNull(${bound.index})`;
    case 'prefix':
      return `prefix(${bound.index}:${hex(bound.prefix)})`;
    case 'text':
      return `${bound.kind}(${bound.index}:${bound.ignoreCase ? 'i' : 's'}${hex(Buffer.from(bound.text))}${
        bound.after === undefined ? '' : `,${hex(bound.after)}`
      })`;
    case 'any':
      return `any(${bound.index}:${canonical(bound.of)})`;
  }
}

function hex(bytes: Buffer): string {
  return bytes.toString('hex');
}

function limit(end: BoundLimit | undefined): string {
  return end === undefined ? '*' : `${end.inclusive ? '=' : '~'}${hex(end.value)}`;
}
