import type { IncomingMessage } from 'node:http';
import { fullName, splitFullName } from '../../../model/full-name.js';
import type { Work } from '../../../lib/work/work.js';
import type { Resource } from '../../../model/resource.js';
import { Queries } from '../../../query/condition-builders.js';
import type { Service } from '../../../service/service.js';
import type { ObjectScope } from '../../../service/scope/object-scope.js';
import type { FieldReferrers, ModelDependents } from '../../../service/verbs.js';
import type { AccessGuard } from '../../guards/access-guard.js';

/** The object whose relations are shown, and the sender to whom. */
export interface RelationReader {
  readonly service: Service;
  /** Undefined: everything is shown. */
  readonly guard: AccessGuard | undefined;
  readonly req: IncomingMessage;
  readonly model: Resource;
  /** The full name of the object. */
  readonly name: string;
  /** Most names. */
  readonly limit: number;
  /** Limits the reads of the request. */
  readonly work: Work;
}

/** Objects of a model by the rules about it: all, without their names, or only those of a scope. */
type Seen = 'all' | 'numbers' | { readonly resource: Resource; readonly scope: ObjectScope };

const LIST = { verb: 'list', isNamed: false } as const;

function seenOf({ service, guard, req }: RelationReader, related: FieldReferrers | ModelDependents): Seen {
  if (guard === undefined || guard.mayList(req, related)) return 'all';
  if (!guard.mayListSome(req, related)) return 'numbers';
  const resource = service.models.find(related.group, related.version, related.plural);
  const scope = resource && guard.scope(req, resource, LIST);
  return resource === undefined || scope === undefined ? 'numbers' : { resource, scope };
}

/** @throws ServiceError `NotFound` for an object that rules hide from the sender */
export async function checkSeen({ service, guard, req, model, name }: RelationReader): Promise<void> {
  const scope = guard?.scopes(req).related.get(model);
  if (scope !== undefined && scope.parts.length > 0) await service.get(model, name, {}, { scope });
}

/** The referrers that the sender may see; undefined for those of a field that it may not read. */
export async function seenReferrers(
  reader: RelationReader,
  related: FieldReferrers,
): Promise<FieldReferrers | undefined> {
  const seen = seenOf(reader, related);
  if (seen === 'all') return related;
  if (seen === 'numbers') return { ...related, names: [] };
  const { resource, scope } = seen;
  const { field } = related;
  if (!scope.parts.every(({ fields }) => fields?.contains(field) ?? true)) return undefined;
  const { namespace, name } = splitFullName(reader.name);
  const query = Queries.equal(field, name);
  const options = { query, limit: Math.max(1, reader.limit), ...(namespace !== undefined && { namespace }) };
  const { total, items } = await reader.service.list(resource, options, { scope, work: reader.work });
  const names = items.slice(0, reader.limit).map(({ metadata }) => fullName(resource, metadata));
  return { ...related, total, names };
}

/** The owned objects that the sender may see; undefined without any. */
export async function seenDependents(
  reader: RelationReader,
  related: ModelDependents,
): Promise<ModelDependents | undefined> {
  const seen = seenOf(reader, related);
  if (seen === 'all') return related;
  if (seen === 'numbers') return { ...related, names: [] };
  const { resource, scope } = seen;
  if (!scope.parts.every(({ fields }) => fields?.contains(OWNERS) ?? true)) return undefined;
  const { service, model, name, limit } = reader;
  const { uid } = (await service.get(model, name)).metadata;
  const names: string[] = [];
  let [total, shared, deleting] = [0, 0, 0];
  for await (const { metadata } of service.listAll(
    resource,
    { query: Queries.equal(`${OWNERS}.uid`, uid) },
    { scope, work: reader.work },
  )) {
    total += 1;
    if ((metadata.ownerReferences?.length ?? 0) > 1) shared += 1;
    if (metadata.deletionTimestamp !== undefined) deleting += 1;
    if (names.length < limit) names.push(fullName(resource, metadata));
  }
  return total === 0 ? undefined : { ...related, total, shared, deleting, names };
}

const OWNERS = 'metadata.ownerReferences';
