import { createHash } from 'node:crypto';
import type { ServiceError } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import { ALL } from '../../query/condition.js';
import {
  bothScopes,
  fieldSetOf,
  type ObjectScope,
  type RelatedScopes,
} from '../../service/scope/object-scope.js';
import type { FindWriteScope, ScopedWrite, WriteScope } from '../../service/scope/write-scope.js';
import type { UserWithGroups } from '../policy.js';
import {
  actionOn,
  allows,
  isLimited,
  isPartial,
  limitable,
  rulesIn,
  type AccessRule,
  type Action,
  type RuleFields,
} from '../rules.js';
import { partOf } from './rule-part.js';

/** A user with its rules. */
export interface LimitedSender extends UserWithGroups {
  readonly rules: readonly AccessRule[];
}

/** An access to the objects of a model. */
export interface ScopedAccess {
  readonly verb: string;
  readonly subresource?: string | undefined;
  /** True for an access to one object by its name: rules with names apply as well. */
  readonly isNamed: boolean;
  /** The namespace of all objects that it is about. Absent: any. */
  readonly namespace?: string | undefined;
}

/** The scope of senders who may write the status of objects, but not read them. */
const STATUS_ONLY: ObjectScope = {
  key: 'status',
  parts: [{ conditionIn: () => ALL, fields: fieldSetOf(['metadata', 'status']) }],
};

const DELETE_ALL: ScopedAccess = { verb: 'deletecollection', isNamed: false };

/** The scope of senders without any right. */
const NOTHING: ObjectScope = { key: 'nothing', parts: [] };

/** The parts of models that a member may read and write, by the filters and the fields of its rules. */
export class SenderScopes {
  readonly #known = new WeakMap<Resource, Map<string, ObjectScope | undefined>>();
  readonly #hasLimits: boolean;

  /** @param refuse the error for an action that is not allowed, with a reason */
  constructor(
    private readonly member: LimitedSender,
    private readonly refuse: (action: Action, reason?: string) => ServiceError,
  ) {
    this.#hasLimits = member.rules.some(isPartial);
  }

  /** For reads that lead to other models. */
  readonly related: RelatedScopes = {
    list: (resource) => {
      const access = { verb: 'list', isNamed: false };
      if (this.#rulesFor(resource, access).length === 0)
        throw this.refuse(limitable(actionOn('list', resource)));
      return this.of(resource, access);
    },
    get: (resource) => this.#readable(resource),
  };

  /** The part of a model that an allowed access is about; undefined for the whole. */
  of(resource: Resource, access: ScopedAccess, use: keyof RuleFields = 'read'): ObjectScope | undefined {
    return this.#hasLimits ? this.#scope(resource, access, use) : undefined;
  }

  /** The scope of an allowed write. */
  readonly ofWrite: FindWriteScope = (write, resource) => {
    const isOfStatus = write.subresource === 'status';
    if (!this.#hasLimits && !isOfStatus) return undefined;
    const { verb, subresource } = write;
    const writable = this.of(resource, { verb, subresource, isNamed: verb !== 'create' }, 'write');
    const seen = this.#seen(resource, write, writable);
    if (writable === undefined && seen === undefined) return undefined;
    const action = { ...actionOn(verb, resource), ...(subresource !== undefined && { subresource }) };
    return {
      writable,
      seen,
      seenOutside: isOfStatus ? ['status'] : [],
      refuse: (reason) => this.refuse(action, `: ${reason}`),
    };
  };

  /** The objects and fields that the sender of a write sees; undefined for all. */
  #seen(
    resource: Resource,
    { subresource }: ScopedWrite,
    writable: ObjectScope | undefined,
  ): ObjectScope | undefined {
    const readable = this.#readable(resource);
    if (readable !== NOTHING) return readable;
    if (subresource === 'status') return STATUS_ONLY;
    return writable === undefined ? undefined : NOTHING;
  }

  /** The objects that may be read by name; the right to read the status includes them. */
  #readable(resource: Resource): ObjectScope | undefined {
    const [whole, status] = [undefined, 'status'].map((subresource) =>
      this.#scope(resource, { verb: 'get', subresource, isNamed: true }, 'read'),
    );
    if (whole === undefined || status === undefined) return undefined;
    const parts = [...whole.parts, ...status.parts];
    return parts.length === 0 ? NOTHING : { key: `${whole.key} ${status.key}`, parts };
  }

  #scope(resource: Resource, access: ScopedAccess, use: keyof RuleFields): ObjectScope | undefined {
    const known = this.#known.get(resource) ?? new Map<string, ObjectScope | undefined>();
    this.#known.set(resource, known);
    const { verb, subresource = '', isNamed, namespace = '' } = access;
    const key = `${use} ${verb} ${subresource} ${isNamed} ${namespace}`;
    if (!known.has(key)) known.set(key, this.#findScope(resource, access, use));
    return known.get(key);
  }

  #findScope(resource: Resource, access: ScopedAccess, use: keyof RuleFields): ObjectScope | undefined {
    const own = this.#rulesFor(resource, access);
    const { verb, namespace } = access;
    // Objects of a collection are deleted one by one.
    const rules =
      verb === 'delete' ? [...own, ...this.#rulesFor(resource, { ...DELETE_ALL, namespace })] : own;
    const isWhole = (rule: AccessRule): boolean =>
      !isLimited(rule) && (rule.resourceNames ?? []).length === 0;
    if (rulesIn(rules, namespace).some(isWhole)) return undefined;
    if (rules.length === 0) return NOTHING;
    const { user, groups } = this.member;
    const key = createHash('sha256')
      .update(JSON.stringify([use, user, groups, rules]))
      .digest('base64url');
    return {
      key,
      parts: rules.map((rule) => partOf(rule, this.member, use)),
    };
  }

  #rulesFor(
    resource: Resource,
    { verb, subresource, isNamed, namespace: only }: ScopedAccess,
  ): readonly AccessRule[] {
    const action = limitable({
      ...actionOn(verb, resource),
      ...(subresource !== undefined && { subresource }),
    });
    return this.member.rules.filter((rule) => {
      const { namespace = only, resourceNames = [] } = rule;
      if (only !== undefined && namespace !== only) return false;
      const [name] = isNamed ? resourceNames : [];
      return allows(rule, {
        ...action,
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { name }),
      });
    });
  }
}

/** The parts of models that the sender of a call may access. */
export type Scopes = Pick<SenderScopes, 'related' | 'of' | 'ofWrite'>;

/** The parts of models that both senders may access. */
export function commonScopes(a: Scopes, b: Scopes): Scopes {
  return {
    related: {
      list: (resource) => bothScopes(a.related.list(resource), b.related.list(resource)),
      get: (resource) => bothScopes(a.related.get(resource), b.related.get(resource)),
    },
    of: (...access) => bothScopes(a.of(...access), b.of(...access)),
    ofWrite: (...write) => bothWrites(a.ofWrite(...write), b.ofWrite(...write)),
  };
}

function bothWrites(a: WriteScope | undefined, b: WriteScope | undefined): WriteScope | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    ...a,
    writable: bothScopes(a.writable, b.writable),
    seen: bothScopes(a.seen, b.seen),
    seenOutside: a.seenOutside.filter((field) => b.seenOutside.includes(field)),
  };
}
