import { HTTP_STATUS, type ErrorCode } from '../errors.js';
import { metadataSchema } from '../model/schema/base-schema.js';
import { PROPAGATION_POLICIES } from '../model/owner-references.js';
import { schemaRef } from './json-fragment.js';
import { COMMON_PARAMETERS, type CommonListParameter } from './list-parameters.js';
import { anyObject, kindSchema, objectSchema, text } from './schema-parts.js';

/** The media types of requests and responses for every object and list. */
const OBJECT_TYPES = ['application/json', 'application/yaml'] as const;

/** The content of one schema in every media type of objects. */
export function objectContent(schema: object, example?: object): object {
  const body = example === undefined ? { schema } : { schema, example };
  return Object.fromEntries(OBJECT_TYPES.map((type) => [type, body]));
}

/** The content of other media types, each with its own schema. */
export function otherContent(bodies: Readonly<Record<string, object>>): object {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, { schema }]));
}

const flag = { type: 'boolean' } as const;

function query(name: string, description: string, schema: object): object {
  return { name, in: 'query', description, schema };
}

/** The header that asks for rows instead of objects. */
const AS_TABLE = '`Accept: application/json;as=Table;v=v1;g=meta.k8s.io`';

const OTHER_PARAMETERS = {
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the object, unique within its model.',
    schema: { type: 'string', maxLength: 253 },
  },
  namespace: {
    name: 'namespace',
    in: 'path',
    required: true,
    description: 'Namespace of the objects.',
    schema: { type: 'string', maxLength: 63 },
  },
  explain: query('explain', 'Returns how the list would run instead of running it.', flag),
  watch: query('watch', 'Returns the changes as a stream of events, one JSON object per line.', flag),
  resourceVersion: query('resourceVersion', 'With watch: changes after this revision.', text),
  resourceVersionMatch: query(
    'resourceVersionMatch',
    '`Exact`: the state at revision `resourceVersion` instead of the current one; a list only while it is the same.',
    { type: 'string', enum: ['Exact', 'NotOlderThan'] },
  ),
  timeoutSeconds: query('timeoutSeconds', 'With watch: maximum duration of the stream, in seconds.', {
    type: 'integer',
    minimum: 0,
  }),
  sendInitialEvents: query(
    'sendInitialEvents',
    'With watch: send the existing objects first, whatever the resourceVersion.',
    flag,
  ),
  allowWatchBookmarks: query('allowWatchBookmarks', 'With watch: send bookmarks.', flag),
  includeObject: query(
    'includeObject',
    `With ${AS_TABLE}: the part of each object that a row has in addition to its cells.`,
    { type: 'string', enum: ['Metadata', 'None', 'Object'], default: 'Metadata' },
  ),
  dateCells: query(
    'dateCells',
    `With ${AS_TABLE}: format of date cells: the age, such as \`5m\`, or the time. With \`Time\`, tables of all models begin with the name, and have the age and the last change.`,
    { type: 'string', enum: ['Age', 'Time'], default: 'Age' },
  ),
  since: query('since', 'Only changes from this time on: RFC 3339, or an age like `1h`.', text),
  user: query('user', 'Only changes of this user.', text),
  before: query('before', 'Adds the state of the object before each change, as `before`.', flag),
  dryRun: query('dryRun', '`All`: the same answer, but nothing is stored.', {
    type: 'string',
    enum: ['All'],
  }),
  fieldValidation: query(
    'fieldValidation',
    'Handling of fields that the model does not declare: reject, keep with a warning, or keep.',
    { type: 'string', enum: ['Strict', 'Warn', 'Ignore'], default: 'Warn' },
  ),
  propagationPolicy: query(
    'propagationPolicy',
    'Handling of the objects that this one owns: a running service removes them afterwards (`Background`), removes ' +
      'blocking ones first (`Foreground`), or removes it from their owners (`Orphan`).',
    { type: 'string', enum: [...PROPAGATION_POLICIES], default: 'Background' },
  ),
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Only when the object still has this entity tag; else 412.',
    schema: text,
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Entity tag that the client has already; 304 when it is still the current one.',
    schema: text,
  },
} as const;

/** Parameters that operations of every model share. */
export const PARAMETERS: Readonly<Record<string, object>> = { ...COMMON_PARAMETERS, ...OTHER_PARAMETERS };

export type ParameterName = CommonListParameter | keyof typeof OTHER_PARAMETERS;

export function parameterRefs(...names: readonly ParameterName[]): object[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export const HEADERS = {
  ETag: {
    description:
      'Entity tag of the representation: the revision of the object, in quotes; it differs by media type. If-Match accepts any of them.',
    schema: text,
  },
  Location: { description: 'Path of the created object.', schema: text },
  Warning: {
    description: 'Problem in an accepted request, as `299 - "text"`.',
    schema: text,
  },
  RetryAfter: { description: 'Seconds after which the request may succeed.', schema: { type: 'integer' } },
} as const;

export function headerRefs(...names: readonly Exclude<keyof typeof HEADERS, 'RetryAfter'>[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const ERRORS = {
  BadRequest: 'The request is malformed: a parameter, a selector or the body cannot be read.',
  Unauthorized: 'Credentials are missing or invalid.',
  Forbidden: 'The caller may not do this.',
  NotFound: 'The object or model does not exist.',
  Timeout: 'The body did not arrive in time.',
  Conflict:
    'The object was changed meanwhile, or a name or unique value is already in use (`AlreadyExists`).',
  Expired: 'The revision or the continue token is too old; list again.',
  PreconditionFailed: 'The entity tag of If-Match is not the current one.',
  RequestEntityTooLarge: 'The body is too large.',
  UnsupportedMediaType: 'The body has a type that is not accepted here.',
  Invalid: 'The object violates its model; `details.causes` lists every violation.',
  TooManyRequests: 'Too many requests of this kind; retry after `Retry-After`.',
  InternalError: 'An internal error; the message has an id that is also in the log.',
  ServiceUnavailable: 'Temporarily unavailable, for example while indexes are built.',
} as const satisfies Partial<Record<ErrorCode, string>>;

export type ErrorResponseName = keyof typeof ERRORS;

/** Errors as members of an operation's `responses`. */
export function errorRefs(...names: readonly ErrorResponseName[]): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [String(HTTP_STATUS[name]), { $ref: `#/components/responses/${name}` }]),
  );
}

/** The errors that any operation may return. */
export const EVERYWHERE = [
  'Unauthorized',
  'Forbidden',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
] as const;

/** Errors with a `Retry-After` header. */
const RETRIABLE: readonly string[] = ['TooManyRequests', 'ServiceUnavailable'];

export const RESPONSES: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    Object.entries(ERRORS).map(([name, description]) => [
      name,
      {
        description,
        ...(RETRIABLE.includes(name)
          ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } }
          : {}),
        content: objectContent(schemaRef('Status')),
      },
    ]),
  ),
  Error: { description: 'An error.', content: objectContent(schemaRef('Status')) },
  NotModified: { description: 'The client has the current state already.', headers: headerRefs('ETag') },
};

const count = { type: 'integer', minimum: 0 } as const;
const METHOD = { type: 'string', enum: ['walk', 'ranks', 'sort', 'relevance'] } as const;

const CHANGE_MEMBERS = {
  resourceVersion: text,
  time: { ...text, format: 'date-time' },
  'user?': { ...text, description: 'The user of the write; absent without authentication.' },
  'via?': { ...text, description: 'The interface of an agent that wrote: `mcp`; absent for other requests.' },
  verb: { type: 'string', enum: ['create', 'update', 'patch', 'delete'] },
  changes: {
    type: 'array',
    description: 'Changed fields, without those that the service sets; empty for a create.',
    items: objectSchema({
      path: { ...text, description: 'Dotted path: `spec.age`, `spec.tags[2]`.' },
      'from?': { description: 'Absent when the field was added.' },
      'to?': { description: 'Absent when the field was removed.' },
    }),
  },
} as const;

/** Named schemas of the platform; models and endpoints get other names. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  Status: kindSchema(
    'v1',
    'Status',
    {
      metadata: { type: 'object' },
      status: { type: 'string', enum: ['Failure'] },
      code: { type: 'integer', description: 'The HTTP status.' },
      reason: { ...text, description: 'Machine-readable reason: `NotFound`, `Invalid`, …' },
      message: { ...text, description: 'Human-readable message.' },
      details: objectSchema({
        'group?': text,
        'kind?': text,
        'name?': text,
        'causes?': { type: 'array', items: schemaRef('StatusCause') },
      }),
    },
    { description: 'The format of every error.' },
  ),
  StatusCause: objectSchema(
    {
      field: { ...text, description: 'Dotted path: `spec.age`, `spec.tags[2]`; or the name of an index.' },
      reason: { ...text, description: 'Machine-readable kind of the violation.' },
      message: { ...text, description: 'Human-readable message.' },
    },
    { description: 'The reason why one field was rejected.' },
  ),
  Metadata: { description: 'The fields that every object has.', ...metadataSchema() },
  JsonPatch: {
    type: 'array',
    description: 'A JSON Patch (RFC 6902).',
    items: objectSchema({
      op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
      path: { ...text, description: 'JSON pointer.', example: '/spec/name' },
      'from?': { ...text, description: 'JSON pointer; for move and copy.' },
      'value?': {},
    }),
  },
  MergePatch: {
    ...anyObject,
    description: 'A JSON Merge Patch (RFC 7396): members that are null are removed.',
  },
  WatchEvent: objectSchema(
    {
      type: { type: 'string', enum: ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] },
      object: {
        ...anyObject,
        description: 'The object; of a bookmark, its metadata with a revision; of an error, a Status.',
      },
    },
    { description: 'One line of a watch, or the data of one server-sent event.' },
  ),
  ListExplanation: kindSchema(
    'api.platform.run/v1alpha1',
    'ListExplanation',
    {
      resource: text,
      condition: { ...text, description: 'The selectors as one condition.' },
      method: METHOD,
      description: text,
      index: {
        ...text,
        nullable: true,
        description: 'The index that gives the order; null when matches are sorted.',
      },
      direction: { type: 'string', enum: ['asc', 'desc', null], nullable: true },
      bounds: text,
      sorts: flag,
      filters: {
        type: 'array',
        items: objectSchema({
          condition: text,
          from: { type: 'string', enum: ['memory', 'index', 'records'] },
          matches: count,
        }),
      },
      'search?': objectSchema({
        words: { type: 'array', items: text },
        matches: count,
        from: { type: 'string', enum: ['memory', 'index'] },
        segments: count,
        freshRows: count,
        entriesRead: count,
      }),
      'aggregates?': {
        type: 'array',
        items: objectSchema({
          field: text,
          from: { type: 'string', enum: ['memory', 'index', 'records'] },
        }),
      },
      total: { ...count, description: 'Objects that match.' },
      entriesRead: count,
      recordsRead: count,
      objectsRead: { ...count, description: 'Reads of the list itself.' },
      alternatives: {
        type: 'array',
        items: objectSchema({
          method: METHOD,
          cost: { type: 'number', nullable: true, description: 'Null when the method is not possible.' },
          reason: text,
        }),
      },
    },
    { description: 'How a list would run: the index that it follows, and its reads.' },
  ),
  ObjectHistory: objectSchema(
    {
      apiVersion: text,
      kind: text,
      metadata: objectSchema({
        'namespace?': { ...text, description: 'Absent for an object without a namespace.' },
        name: text,
        resourceVersion: { ...text, description: 'Revision of the store.' },
        oldest: { ...text, description: 'The oldest revision in the log.' },
        'continue?': {
          ...text,
          description: 'Continues with older changes; absent when the log has no more.',
        },
      }),
      items: { type: 'array', items: schemaRef('ObjectChange') },
    },
    { description: 'The changes of an object, newest first.' },
  ),
  ObjectChange: objectSchema(CHANGE_MEMBERS, { description: 'One change of an object.' }),
  ModelHistory: objectSchema(
    {
      apiVersion: text,
      kind: text,
      metadata: objectSchema({
        resourceVersion: { ...text, description: 'Revision of the store.' },
        oldest: { ...text, description: 'The oldest revision in the log.' },
        'oldestTime?': { ...text, format: 'date-time', description: 'The time of the oldest revision.' },
        'since?': { ...text, format: 'date-time', description: 'The requested start, as a time.' },
        'continue?': {
          ...text,
          description: 'Continues with older changes; absent when there are no more.',
        },
      }),
      items: { type: 'array', items: schemaRef('ModelChange') },
    },
    { description: 'The changes of the objects of a model, newest first.' },
  ),
  ModelChange: objectSchema(
    {
      'namespace?': { ...text, description: 'Absent for an object without a namespace.' },
      name: { ...text, description: 'Name of the object, which may be deleted.' },
      ...CHANGE_MEMBERS,
      'before?': { ...anyObject, description: 'The object before the change, with `before=true`.' },
    },
    { description: 'One change of one of the objects of a model.' },
  ),
  AutoscalingScale: kindSchema(
    'autoscaling/v1',
    'Scale',
    {
      metadata: schemaRef('Metadata'),
      spec: objectSchema({
        'replicas?': { ...count, description: 'The wanted number; 0 when it is absent.' },
      }),
      'status?': objectSchema({
        replicas: { ...count, description: 'The present number.' },
        'selector?': { ...text, description: 'The label selector of what is counted.' },
      }),
    },
    { description: 'The number of replicas of an object.' },
  ),
  ListMeta: objectSchema({
    resourceVersion: { ...text, description: 'Revision of the store at which the list was read.' },
    'continue?': { ...text, description: 'Continues a list that a limit truncated.' },
    'remainingItemCount?': { type: 'integer', description: 'Number of objects in the rest of the list.' },
  }),
};

/** The authentication of a request (RFC 6750). */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token printed by `xsvc token create`.' },
} as const;
