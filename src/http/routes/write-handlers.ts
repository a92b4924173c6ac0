import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { withOwnUid } from '../../access/identity/own-tokens.js';
import { actionOn, limitable } from '../../access/rules.js';
import { getPath, isStorageVersion, leastBodyMax, type Resource } from '../../model/resource.js';
import { isScalable } from '../../model/scale.js';
import { bothScopes } from '../../service/scope/object-scope.js';
import type { RawWriteResult } from '../../service/write/result.js';
import type { DeleteOptions, WriteOptions, WrittenPart } from '../../service/verbs.js';
import { parseBody } from '../body/body.js';
import { objectTag } from '../answer/entity-tag.js';
import { formatOfApply, patchFormat } from '../answer/media.js';
import { deleteOptions, isTrue, managerOf, refuseForce, statedManager, writeOptions } from './parameters.js';
import { addWarnings, formatFor, sendStored, sendValue, type Headers } from '../answer/respond.js';
import { deleteCollection, readCollectionQuery } from './delete-collection.js';
import { inNamespace } from './in-namespace.js';
import { metadataFor } from './metadata-shape.js';
import { defaultsFor, readingOf, type Call } from './call.js';

export async function create(call: Call): Promise<void> {
  const { options, req, resource, namespace, query, converter } = call;
  const format = options.bodies.formatOf(req);
  const document = await parseBody(await options.bodies.read(req, leastBodyMax(resource)), format, converter);
  const draft = namespace === undefined ? document : inNamespace(document, namespace);
  const body =
    options.guard === undefined ? draft : withOwnUid(resource, draft, options.guard.getIdentity(req));
  const write = writeOptions(query, undefined, options.origins?.of(req));
  const fieldManager = managerOf(query, req.headers['user-agent']);
  const result = await committed(call, { ...write, fieldManager }, (all) =>
    options.service.create(resource, body, all),
  );
  await sendResult(call, 201, result, {
    Location: `${getPath(resource, namespace)}/${result.metadata.name}`,
  });
}

export async function update(call: Call, name: string, sub: WrittenPart): Promise<void> {
  const { options, req, resource, converter } = call;
  const format = options.bodies.formatOf(req);
  const body = await parseBody(await options.bodies.read(req, leastBodyMax(resource)), format, converter);
  const write = managedOptions(call);
  const run = (all: WriteOptions): Promise<RawWriteResult> =>
    options.service.update(resource, name, body, all, sub);
  await sendResult(call, 200, partOfResult(await committed(call, write, run), resource, sub));
}

export async function patch(call: Call, name: string, sub: WrittenPart): Promise<void> {
  const { options, req, resource, converter } = call;
  const type = patchFormat(req.headers['content-type'], resource.origin === 'core' && sub !== 'scale');
  const bytes = await options.bodies.read(req, leastBodyMax(resource));
  const format = type === 'apply' ? formatOfApply(bytes) : 'json';
  const body = await parseBody(bytes, format, converter);
  if (type !== 'apply') refuseForce(call.query);
  const write = type === 'apply' ? applyOptions(call, name) : managedOptions(call);
  const run = (all: WriteOptions): Promise<RawWriteResult> =>
    options.service.patch(resource, name, body, type, all, sub);
  const result = await committed(call, write, run);
  await sendResult(call, result.effect === 'created' ? 201 : 200, partOfResult(result, resource, sub));
}

function managedOptions({ options, req, query }: Call): WriteOptions {
  const write = writeOptions(query, req.headers['if-match'], options.origins?.of(req));
  return { ...write, fieldManager: managerOf(query, req.headers['user-agent']) };
}

/** An apply must name its manager: the name of a client does not tell two uses of it apart. */
function applyOptions(call: Call, name: string): WriteOptions {
  const { options, req, resource, query } = call;
  return {
    ...managedOptions(call),
    fieldManager: statedManager(query),
    forceConflicts: isTrue(query, 'force'),
    authorizeCreate: () => options.guard?.authorize(req, limitable(actionOn('create', resource, name))),
  };
}

export async function remove(call: Call, name: string): Promise<void> {
  const { options, req, resource, query, converter } = call;
  const bytes = await options.bodies.read(req);
  const body =
    bytes.length === 0 ? undefined : await parseBody(bytes, options.bodies.formatOf(req), converter);
  const write = deleteOptions(query, req.headers['if-match'], body, options.origins?.of(req));
  // Removing finalizers is an update.
  if (write.forceFinalizers === true) options.guard?.authorize(req, actionOn('update', resource, name));
  const run = (all: DeleteOptions): Promise<RawWriteResult> => options.service.delete(resource, name, all);
  await sendResult(call, 200, await committed(call, write, run));
}

export async function removeCollection(call: Call): Promise<void> {
  const { options, req, res, resource, namespace, query, converter } = call;
  const { service, bodies, guard, admit } = options;
  const matches = { ...readCollectionQuery(query), ...(namespace !== undefined && { namespace }) };
  const bytes = await bodies.read(req);
  const body = bytes.length === 0 ? undefined : await parseBody(bytes, bodies.formatOf(req), converter);
  const write = deleteOptions(query, undefined, body, options.origins?.of(req));
  if (write.forceFinalizers === true) guard?.authorize(req, actionOn('update', resource));
  const reading = readingOf(call, { verb: 'deletecollection', isNamed: false });
  // Selectors and the answer must not show more than a read. Without any right to read, all is deleted.
  const readable = reading.related?.get(resource);
  const isReader = readable !== undefined && readable.parts.length > 0;
  const scope = isReader ? bothScopes(reading.scope, readable) : reading.scope;
  const remove = (name: string) => committed(call, write, (all) => service.delete(resource, name, all));
  const deleted = await admit.run(req, res, (work) =>
    deleteCollection({ service, resource, options: matches, remove }, { ...reading, scope, work }),
  );
  sendValue(res, 200, deleted);
}

function partOfResult(result: RawWriteResult, resource: Resource, sub: WrittenPart): RawWriteResult {
  return sub === 'scale' && isScalable(resource) ? result.scaleOnly(resource) : result;
}

/** Runs a write with the rights of the request's sender. */
function committed<Options extends WriteOptions>(
  { options: { guard }, req }: Call,
  write: Options,
  run: (all: Options) => Promise<RawWriteResult>,
): Promise<RawWriteResult> {
  return guard === undefined ? run(write) : guard.write(req, write, run);
}

function sendResult(
  call: Call,
  status: number,
  { json, metadata, warnings }: RawWriteResult,
  headers?: Headers,
): MaybePromise<void> {
  const { req, res, resource } = call;
  addWarnings(res, warnings);
  const format = formatFor(req);
  const cut = metadataFor(req, resource)?.one(json);
  const state = isStorageVersion(resource) ? (cut ?? defaultsFor(call)) : json;
  const tag = objectTag(metadata.resourceVersion, format, state);
  return sendStored(call, status, cut ?? json, { format, tag, ...(headers && { headers }) });
}
