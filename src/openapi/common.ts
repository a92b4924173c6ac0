import type { ErrorCode } from '../errors.js';
import { metadataSchema } from '../model/schema/base-schema.js';
import { PROPAGATION_POLICIES } from '../model/owner-references.js';
import { schemaRef } from './json-fragment.js';

/** The media types of requests and responses for every object and list. */
const OBJECT_TYPES = ['application/json', 'application/yaml'] as const;

/** The content of one schema in every media type of objects. */
export function objectContent(schema: object, example?: object): object {
  const body = example === undefined ? { schema } : { schema, example };
  return Object.fromEntries(OBJECT_TYPES.map((type) => [type, body]));
}

const text = { type: 'string' } as const;
/** The first example: pages that try operations out fill it in. */
export const NO_SELECTOR = { none: { summary: 'All objects', value: '' } } as const;

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

/** Parameters that operations of every model share. */
export const PARAMETERS = {
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'Name of the object, unique within its model.',
    schema: { type: 'string', maxLength: 253 },
  },
  page: query('page', 'Number of the page, from 1, which is the default. A page beyond the last is empty.', {
    type: 'integer',
    format: 'int32',
    minimum: 1,
  }),
  size: {
    ...query('size', 'Objects per page; 0, the default, means all that match.', {
      type: 'integer',
      format: 'int32',
      minimum: 0,
    }),
    // Pages that try operations out fill it in: all objects of a large model would be too many for the page.
    example: 20,
  },
  labelSelector: {
    ...query(
      'labelSelector',
      'Requirements on the labels, separated by commas; all must hold: `k=v`, `k!=v`, `k`, `!k`, `k in (a,b)`, `k notin (a,b)`.',
      text,
    ),
    examples: {
      ...NO_SELECTOR,
      equal: { summary: 'The label has the value', value: 'example.com/team=red' },
      absent: { summary: 'There is no such label', value: '!example.com/team' },
    },
  },
  filter: {
    ...query(
      'filter',
      'An expression of CEL over indexed fields and labels: `==` `!=` `<` `<=` `>` `>=` `in` `&&` `||` `!`, `has(f)`, ' +
        '`f.startsWith(s)`, `f.endsWith(s)`, `f.contains(s)`, `v in f` and `f.exists(x, ..)` for fields with several ' +
        'values, `metadata.labels["k"]`, `timestamp(s)`, `duration(s)`, `now`.',
      text,
    ),
    examples: {
      ...NO_SELECTOR,
      recent: {
        summary: 'Created within an hour',
        value: 'metadata.creationTimestamp > now - duration("1h")',
      },
      labels: {
        summary: 'By a label or its absence',
        value: 'metadata.labels["example.com/team"] == "red" || !("example.com/team" in metadata.labels)',
      },
    },
  },
  limit: query(
    'limit',
    'At most so many objects; `metadata.continue` of the answer leads to the rest. Not together with page and size.',
    { type: 'integer', format: 'int32', minimum: 0 },
  ),
  continue: query('continue', 'Token of the answer before, sent with the same other parameters.', text),
  facets: query(
    'facets',
    'Indexed fields, separated by commas, whose values are counted among all matches; a label as `metadata.labels["k"]`.',
    text,
  ),
  facetLimit: query(
    'facetLimit',
    'At most so many values of each facet, the most frequent ones; 20 by default.',
    {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 1000,
    },
  ),
  explain: query('explain', 'Answers how the list would run instead of running it.', flag),
  watch: query('watch', 'Answers the changes as a stream of events, one JSON object per line.', flag),
  resourceVersion: query('resourceVersion', 'With watch: the revision after which changes are wanted.', text),
  resourceVersionMatch: query(
    'resourceVersionMatch',
    '`Exact`: what was there when the store was at `resourceVersion`, and not what is there now.',
    { type: 'string', enum: ['Exact', 'NotOlderThan'] },
  ),
  timeoutSeconds: query('timeoutSeconds', 'With watch: how long the stream may last, in seconds.', {
    type: 'integer',
    minimum: 0,
  }),
  sendInitialEvents: query(
    'sendInitialEvents',
    'With watch: whether the objects there are come first, whatever the resourceVersion.',
    flag,
  ),
  allowWatchBookmarks: query('allowWatchBookmarks', 'With watch: whether bookmarks are sent.', flag),
  includeObject: query(
    'includeObject',
    `With ${AS_TABLE}: what of each object its row has besides the cells.`,
    { type: 'string', enum: ['Metadata', 'None', 'Object'], default: 'Metadata' },
  ),
  dateCells: query(
    'dateCells',
    `With ${AS_TABLE}: whether cells of dates have the age, such as \`5m\`, or the time itself.`,
    { type: 'string', enum: ['Age', 'Time'], default: 'Age' },
  ),
  dryRun: query('dryRun', '`All`: the same answer, but nothing is stored.', {
    type: 'string',
    enum: ['All'],
  }),
  fieldValidation: query(
    'fieldValidation',
    'What happens to fields that the model does not declare: refused, kept with a warning, or kept.',
    { type: 'string', enum: ['Strict', 'Warn', 'Ignore'], default: 'Warn' },
  ),
  propagationPolicy: query(
    'propagationPolicy',
    'What becomes of the objects that this one owns: a running service removes them afterwards (`Background`), removes ' +
      'first those that block it (`Foreground`), or takes it out of their owners (`Orphan`).',
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

export type ParameterName = keyof typeof PARAMETERS;

export function parameterRefs(...names: readonly ParameterName[]): object[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

export const HEADERS = {
  ETag: {
    description:
      'Names what was sent: the revision of the object, in quotes; another one for each media type. If-Match takes any.',
    schema: text,
  },
  Location: { description: 'Path of the created object.', schema: text },
  Warning: {
    description: 'What was accepted although it looks like a mistake, as `299 - "text"`.',
    schema: text,
  },
  RetryAfter: { description: 'Seconds after which the request may succeed.', schema: { type: 'integer' } },
} as const;

export function headerRefs(...names: readonly Exclude<keyof typeof HEADERS, 'RetryAfter'>[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const ERRORS = {
  BadRequest: 'The request is malformed: a parameter, a selector or the body cannot be read.',
  Unauthorized: 'There are no credentials, or unknown ones.',
  Forbidden: 'The caller may not do this.',
  NotFound: 'There is no such object or model.',
  Timeout: 'The body did not arrive in time.',
  Conflict: 'The object was changed meanwhile, or a name or unique value is taken (`AlreadyExists`).',
  Expired: 'The revision or the continue token is too old; list again.',
  PreconditionFailed: 'The entity tag of If-Match is not the current one.',
  RequestEntityTooLarge: 'The body is too large.',
  UnsupportedMediaType: 'The body has a type that is not accepted here.',
  Invalid: 'The object violates its model; `details.causes` lists every violation.',
  TooManyRequests: 'Too many requests of this kind; `Retry-After` says when to come back.',
  InternalError: 'A defect of the service; the message carries an id that is in its log.',
  ServiceUnavailable: 'Not now, for example while indexes are built.',
} as const satisfies Partial<Record<ErrorCode, string>>;

export type ErrorResponseName = keyof typeof ERRORS;

const STATUS_OF: Readonly<Record<ErrorResponseName, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  Timeout: 408,
  Conflict: 409,
  Expired: 410,
  PreconditionFailed: 412,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
};

/** Errors as members of an operation's `responses`. */
export function errorRefs(...names: readonly ErrorResponseName[]): Record<string, object> {
  return Object.fromEntries(
    names.map((name) => [String(STATUS_OF[name]), { $ref: `#/components/responses/${name}` }]),
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
const METHOD = { type: 'string', enum: ['walk', 'ranks', 'sort'] } as const;

const cause = {
  type: 'object',
  description: 'Why one field was refused.',
  required: ['field', 'reason', 'message'],
  properties: {
    field: { ...text, description: 'Dotted path: `spec.age`, `spec.tags[2]`; or the name of an index.' },
    reason: { ...text, description: 'Kind of the violation, for programs.' },
    message: { ...text, description: 'What is wrong, for people.' },
  },
};

/** Named schemas of the platform; models and endpoints get other names. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  Status: {
    type: 'object',
    description: 'The one shape of every error.',
    required: ['kind', 'apiVersion', 'metadata', 'status', 'code', 'reason', 'message', 'details'],
    properties: {
      kind: { type: 'string', enum: ['Status'] },
      apiVersion: { type: 'string', enum: ['v1'] },
      metadata: { type: 'object' },
      status: { type: 'string', enum: ['Failure'] },
      code: { type: 'integer', description: 'The HTTP status.' },
      reason: { ...text, description: 'What went wrong, for programs: `NotFound`, `Invalid`, …' },
      message: { ...text, description: 'What went wrong, for people.' },
      details: {
        type: 'object',
        properties: {
          group: text,
          kind: text,
          name: text,
          causes: { type: 'array', items: schemaRef('StatusCause') },
        },
      },
    },
  },
  StatusCause: cause,
  Metadata: { description: 'What every object has, whatever its model.', ...metadataSchema() },
  JsonPatch: {
    type: 'array',
    description: 'A JSON Patch (RFC 6902).',
    items: {
      type: 'object',
      required: ['op', 'path'],
      properties: {
        op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
        path: { ...text, description: 'JSON pointer.', example: '/spec/name' },
        from: { ...text, description: 'JSON pointer; for move and copy.' },
        value: {},
      },
    },
  },
  MergePatch: {
    type: 'object',
    description: 'A JSON Merge Patch (RFC 7396): members that are null are removed.',
    additionalProperties: true,
  },
  WatchEvent: {
    type: 'object',
    description: 'One line of a watch, or the data of one server-sent event.',
    required: ['type', 'object'],
    properties: {
      type: { type: 'string', enum: ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] },
      object: {
        type: 'object',
        description: 'The object; of a bookmark, its metadata with a revision; of an error, a Status.',
        additionalProperties: true,
      },
    },
  },
  ListExplanation: {
    type: 'object',
    description: 'How a list would run: which index it follows, and what it reads.',
    required: [
      ...['kind', 'apiVersion', 'resource', 'condition', 'method', 'description', 'index', 'direction'],
      ...['bounds', 'sorts', 'filters', 'total', 'entriesRead', 'recordsRead', 'objectsRead', 'alternatives'],
    ],
    properties: {
      kind: { type: 'string', enum: ['ListExplanation'] },
      apiVersion: { type: 'string', enum: ['api.platform.run/v1alpha1'] },
      resource: text,
      condition: { ...text, description: 'What the selectors mean.' },
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
        items: {
          type: 'object',
          required: ['condition', 'from', 'matches'],
          properties: {
            condition: text,
            from: { type: 'string', enum: ['memory', 'index', 'records'] },
            matches: count,
          },
        },
      },
      total: { ...count, description: 'Objects that match.' },
      entriesRead: count,
      recordsRead: count,
      objectsRead: { ...count, description: 'What the list itself would read.' },
      alternatives: {
        type: 'array',
        items: {
          type: 'object',
          required: ['method', 'cost', 'reason'],
          properties: {
            method: METHOD,
            cost: { type: 'number', nullable: true, description: 'Null when it was not possible.' },
            reason: text,
          },
        },
      },
    },
  },
  ObjectHistory: {
    type: 'object',
    description: 'What changed an object, newest first.',
    required: ['apiVersion', 'kind', 'metadata', 'items'],
    properties: {
      apiVersion: text,
      kind: text,
      metadata: {
        type: 'object',
        required: ['name', 'resourceVersion', 'oldest'],
        properties: {
          name: text,
          resourceVersion: { ...text, description: 'Revision of the store.' },
          oldest: { ...text, description: 'The first revision that the log keeps.' },
          continue: { ...text, description: 'Leads to older changes; absent when the log has no more.' },
        },
      },
      items: { type: 'array', items: schemaRef('ObjectChange') },
    },
  },
  ObjectChange: {
    type: 'object',
    description: 'One change of an object.',
    required: ['resourceVersion', 'time', 'verb', 'changes'],
    properties: {
      resourceVersion: text,
      time: { ...text, format: 'date-time' },
      user: { ...text, description: 'Who wrote; absent where nobody is asked.' },
      verb: { type: 'string', enum: ['create', 'update', 'patch', 'delete'] },
      changes: {
        type: 'array',
        description: 'Fields that differ, without what the service sets; empty for a create.',
        items: {
          type: 'object',
          required: ['path'],
          properties: {
            path: { ...text, description: 'Dotted path: `spec.age`, `spec.tags[2]`.' },
            from: { description: 'Absent when the field was added.' },
            to: { description: 'Absent when the field was removed.' },
          },
        },
      },
    },
  },
  ListMeta: {
    type: 'object',
    required: ['resourceVersion'],
    properties: {
      resourceVersion: { ...text, description: 'Revision of the store that the list shows.' },
      continue: { ...text, description: 'Leads to the rest of a list that a limit cut.' },
      remainingItemCount: { type: 'integer', description: 'How many objects the rest has.' },
    },
  },
};

/** The authentication of a request (RFC 6750). */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token that `xsvc token create` has printed.' },
} as const;
