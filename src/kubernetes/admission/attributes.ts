import { randomUUID } from 'node:crypto';
import type { ErrorDetails } from '../../errors.js';
import { groupsOf } from '../../access/policy.js';
import { SCALE } from '../../model/scale.js';
import { ANONYMOUS } from '../../model/system-users.js';
import { withConversions } from '../../model/evolve/pending-conversion.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { ResourceRef } from '../../service/verbs.js';
import type { Service } from '../../service/service.js';
import type { ReviewedObject, ReviewedWrite } from '../../service/write/review/reviewers.js';
import type { WriteVariables } from './conditions.js';
import type { RuleResource, RuleTarget } from './matching.js';

export const NAMESPACES: ResourceRef = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' };

/** The objects of a write in one version, with that version. */
export interface ShownWrite {
  readonly resource: RuleResource;
  readonly variables: WriteVariables;
  /** The object, for errors. */
  readonly details: ErrorDetails;
}

/** A write, as those who are asked see it. */
export class Attributes {
  readonly #service: Service;
  #namespace: Promise<ExtensionObject | undefined> | undefined;

  constructor(
    service: Service,
    readonly write: ReviewedWrite,
    /** As those who were asked before have changed it. */
    readonly object = write.object,
  ) {
    this.#service = service;
  }

  /** The same write with another object. */
  with(object: ReviewedObject): Attributes {
    const next = new Attributes(this.#service, this.write, object);
    next.#namespace = this.#namespace;
    return next;
  }

  get oldObject(): ReviewedObject | undefined {
    return this.write.oldObject;
  }

  get target(): RuleTarget {
    const { model, operation, subresource, name } = this.write;
    const { resource } = model;
    return {
      operations: [operation],
      resource,
      subresource,
      name,
      findVersions: () => versionsOf(this.#service, resource),
    };
  }

  /**
   * The namespace of the object, which is the object itself for a namespace; undefined for other objects of the cluster.
   * @throws ServiceError `NotFound`
   */
  findNamespace(): Promise<ExtensionObject | undefined> {
    const { model, namespace, subresource, operation } = this.write;
    const isNamespace = isOfNamespaces(model.resource);
    if (isNamespace && subresource === undefined && operation !== 'DELETE')
      return Promise.resolve(this.object as ExtensionObject | undefined);
    const name = isNamespace ? this.write.name : namespace;
    if (name === undefined) return Promise.resolve(undefined);
    return (this.#namespace ??= this.#service.get(NAMESPACES, name));
  }

  /**
   * The write in another version.
   * @throws ConversionError
   */
  async shownIn(resource: RuleResource): Promise<ShownWrite> {
    const { oldObject = null } = this.write;
    const variables = {
      object: await this.#converted(this.object ?? null, resource),
      oldObject: await this.#converted(oldObject, resource),
      request: this.#requestIn(resource),
    };
    const { group, kind } = this.write.model.resource;
    return { resource, variables, details: { group, kind, name: this.write.name } };
  }

  /** An object of another version in that of the request. @throws ConversionError */
  async inOwnVersion(object: ReviewedObject): Promise<ReviewedObject> {
    return (await this.#converted(object, this.write.model.resource)) ?? object;
  }

  async #converted(object: ReviewedObject | null, resource: RuleResource): Promise<ReviewedObject | null> {
    const { model, subresource } = this.write;
    if (object === null || subresource === 'scale') return object;
    const view = this.#service.models.view({ ...model.resource, ...resource });
    return withConversions(() => view.toOwnVersion(object as ExtensionObject));
  }

  /** The members of a request in a review, without the objects. */
  #requestIn(resource: RuleResource): ReviewedObject {
    const { model, subresource = '', operation, options } = this.write;
    const { resource: asked } = model;
    const [name, namespace = ''] = isOfNamespaces(asked)
      ? [this.write.name, this.write.name]
      : [this.write.name, this.write.namespace];
    const kindOf = ({ group, version }: RuleResource): object =>
      subresource === 'scale' ? { ...SCALE } : { group, version, kind: asked.kind };
    const resourceOf = ({ group, version, plural }: RuleResource): object => ({
      group,
      version,
      resource: plural,
    });
    const sub = subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
    return {
      uid: randomUUID(),
      kind: kindOf(resource),
      resource: resourceOf(resource),
      requestKind: kindOf(asked),
      requestResource: resourceOf(asked),
      ...sub,
      ...(name !== '' && { name }),
      ...(namespace !== '' && { namespace }),
      operation,
      userInfo: userInfoOf(options),
      dryRun: options.dryRun === true,
      options: optionsOf(this.write),
    };
  }
}

export function versionsOf({ models }: Service, ref: ResourceRef): readonly Resource[] {
  const { byName } = models.view(ref).scheme?.versions ?? { byName: new Map<string, never>() };
  return [...byName.values()].filter(({ isServed }) => isServed).map(({ resource }) => resource);
}

export function isOfNamespaces({ group, plural }: RuleResource): boolean {
  return group === NAMESPACES.group && plural === NAMESPACES.plural;
}

function userInfoOf({ user = ANONYMOUS, groups = [] }: ReviewedWrite['options']): object {
  return { username: user, groups: groupsOf({ user, groups }) };
}

const OPTION_KINDS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

function optionsOf({ operation, options }: ReviewedWrite): object {
  const { dryRun, fieldManager, fieldValidation, propagationPolicy, preconditions } = options;
  return {
    kind: OPTION_KINDS[operation],
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun === true && { dryRun: ['All'] }),
    ...(operation === 'DELETE'
      ? { ...(propagationPolicy && { propagationPolicy }), ...(preconditions && { preconditions }) }
      : { ...(fieldManager !== undefined && { fieldManager }), ...(fieldValidation && { fieldValidation }) }),
  };
}
