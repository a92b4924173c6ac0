import { isNamespaced } from '../model/full-name.js';
import { getPath } from '../model/resource.js';
import { ALL_OBJECTS, hasDeletableCollections } from '../model/subresource.js';
import {
  errorRefs,
  EVERYWHERE,
  headerRefs,
  objectContent,
  otherContent,
  parameterRefs,
  type ErrorResponseName,
} from './common.js';
import { exampleObject } from './example.js';
import { fieldParameters, LATER_PARAMETERS, selectorParameter } from './list-parameters.js';
import { EVENTS_TYPE, EXPLANATION_TYPE, WATCH_TYPE } from './media-types.js';
import type { NamedModel } from './named-model.js';
import { schemaRef } from './json-fragment.js';

/** Operations of a path by method, lower case. */
export type PathItem = Readonly<Record<string, object>>;

/** The generated operations of a model, by path. */
export function modelPaths(model: NamedModel): Map<string, PathItem> {
  const { resource, scaleTitle, everywhereTitle, finalizeTitle } = model;
  const namespace = isNamespaced(resource) ? { parameters: parameterRefs('namespace') } : {};
  const path = getPath(resource, isNamespaced(resource) ? '{namespace}' : undefined);
  const { list, create, get, update, patch, remove, removeAll } = operationsFor(model);
  return new Map<string, PathItem>([
    [path, { get: list, post: create, ...removeAll, ...namespace }],
    ...(everywhereTitle === undefined
      ? []
      : [[getPath(resource), { get: listOperation(model, everywhereTitle) }] as const]),
    [`${path}/{name}`, { get, put: update, patch, delete: remove, ...namespace }],
    ...(resource.statusBy === 'field'
      ? []
      : [[`${path}/{name}/status`, { ...statusOperations(model), ...namespace }] as const]),
    ...(finalizeTitle === undefined
      ? []
      : [[`${path}/{name}/finalize`, { put: finalizeOperation(model, finalizeTitle) }] as const]),
    ...(scaleTitle === undefined
      ? []
      : [[`${path}/{name}/scale`, { ...scaleOperations(model, scaleTitle), ...namespace }] as const]),
    [`${path}/{name}/history`, { get: historyOperation(model), ...namespace }],
    [`${getPath(resource)}/${ALL_OBJECTS}/history`, { get: modelHistoryOperation(model) }],
  ]);
}

/** The tag of a model's operations: `PersonV1alpha1`. */
export function getTag({ resource: { kind, version } }: Pick<NamedModel, 'resource'>): string {
  return `${kind}${version.charAt(0).toUpperCase()}${version.slice(1)}`;
}

type Verb = 'list' | 'get' | 'post' | 'put' | 'patch' | 'delete' | 'deletecollection';

interface Parts {
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly object[];
  readonly requestBody?: object;
  readonly answers: Readonly<Record<string, object>>;
  readonly errors: readonly ErrorResponseName[];
}

function operation(model: NamedModel, verb: Verb, operationId: string, parts: Parts): object {
  const { group, version, kind, deprecated } = model.resource;
  const { summary, description, parameters, requestBody, answers, errors } = parts;
  return {
    operationId,
    tags: [getTag(model)],
    summary,
    ...(deprecated !== undefined && { deprecated: true }),
    ...describedAs(description, deprecated),
    parameters,
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...answers, ...errorRefs(...errors, ...EVERYWHERE) },
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function describedAs(text: string | undefined, deprecated: string | undefined): { description?: string } {
  const notice = deprecated === undefined || deprecated === '' ? [] : [`Deprecated: ${deprecated}.`];
  const parts = [...(text === undefined ? [] : [text]), ...notice];
  return parts.length === 0 ? {} : { description: parts.join(' ') };
}

const WATCH_CONTENT = otherContent({
  [WATCH_TYPE]: schemaRef('WatchEvent'),
  [EVENTS_TYPE]: { type: 'string', description: 'Server-sent events; the data of each is a WatchEvent.' },
});

const WRITE_ERRORS = [
  'BadRequest',
  'Timeout',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'Conflict',
  'Invalid',
] as const;

function listOperation(model: NamedModel, title: string): object {
  const { kind, plural } = model.resource;
  return operation(model, 'list', `List${title}`, {
    summary: `List ${plural}`,
    description: `A page of ${kind} objects, filtered and sorted. With \`watch\`, their changes instead.`,
    parameters: [
      ...parameterRefs('page', 'size'),
      ...fieldParameters(model.resource),
      ...parameterRefs(...LATER_PARAMETERS, 'explain', 'watch', 'resourceVersion', 'resourceVersionMatch'),
      ...parameterRefs('timeoutSeconds', 'allowWatchBookmarks', 'sendInitialEvents'),
      ...parameterRefs('includeObject', 'dateCells'),
    ],
    answers: {
      200: {
        description: 'The page; with `explain` its plan, with `watch` the changes.',
        content: {
          ...objectContent(schemaRef(model.page)),
          ...otherContent({ [EXPLANATION_TYPE]: schemaRef('ListExplanation') }),
          ...WATCH_CONTENT,
        },
      },
    },
    errors: ['BadRequest', 'Expired'],
  });
}

function operationsFor(model: NamedModel) {
  const { title } = model;
  const { singular } = model.resource;
  const named = parameterRefs('name');
  const content = objectContent(schemaRef(model.object));
  const example = exampleObject(model.resource, model.schemas.root, model.schemas.definitions);
  const body = {
    required: true,
    description: `The ${singular}.`,
    content: objectContent(schemaRef(model.object), example),
  };
  return {
    list: listOperation(model, title),
    create: operation(model, 'post', `Create${title}`, {
      summary: `Create a ${singular}`,
      parameters: parameterRefs('dryRun', 'fieldValidation'),
      requestBody: body,
      answers: {
        201: {
          description: 'The created object.',
          headers: headerRefs('ETag', 'Location', 'Warning'),
          content,
        },
      },
      errors: WRITE_ERRORS,
    }),
    get: operation(model, 'get', `Get${title}`, {
      summary: `Get a ${singular} by name`,
      description:
        'With `resourceVersionMatch=Exact`: its state at revision `resourceVersion`. With `expand`: it has the member `included` of a list.',
      parameters: [
        ...named,
        ...parameterRefs(
          'expand',
          'watch',
          'resourceVersion',
          'resourceVersionMatch',
          'timeoutSeconds',
          'ifNoneMatch',
        ),
        ...parameterRefs('includeObject', 'dateCells'),
      ],
      answers: {
        200: {
          description: 'The object; with `watch` the changes to it.',
          headers: headerRefs('ETag'),
          content: { ...content, ...WATCH_CONTENT },
        },
        304: { $ref: '#/components/responses/NotModified' },
      },
      errors: ['BadRequest', 'NotFound', 'Expired'],
    }),
    update: operation(model, 'put', `Update${title}`, {
      summary: `Replace a ${singular}`,
      description:
        'A `metadata.version` or `resourceVersion` in the body must be the current one. Without a status in the body the stored one stays.',
      ...updating(content),
      requestBody: body,
    }),
    patch: operation(model, 'patch', `Patch${title}`, {
      summary: `Patch a ${singular}`,
      ...updating(content),
      requestBody: PATCH_BODY,
    }),
    remove: operation(model, 'delete', `Delete${title}`, {
      summary: `Delete a ${singular}`,
      description:
        'An object with finalizers stays, marked by `metadata.deletionTimestamp`, until they are removed.',
      parameters: [...named, ...parameterRefs('dryRun', 'propagationPolicy', 'ifMatch')],
      answers: {
        200: { description: 'The object in its last state.', headers: headerRefs('ETag'), content },
      },
      errors: [
        'BadRequest',
        'NotFound',
        'Conflict',
        'PreconditionFailed',
        'Timeout',
        'RequestEntityTooLarge',
        'UnsupportedMediaType',
      ],
    }),
    removeAll: hasDeletableCollections(model.resource) ? { delete: deleteCollectionOperation(model) } : {},
  };
}

function deleteCollectionOperation(model: NamedModel): object {
  const { title, page } = model;
  const { plural } = model.resource;
  return operation(model, 'deletecollection', `DeleteCollection${title}`, {
    summary: `Delete ${plural}`,
    description:
      'Deletes all objects that the selectors match. When one cannot be deleted, those before it stay deleted.',
    parameters: [
      selectorParameter(model.resource),
      ...parameterRefs('labelSelector', 'filter', 'limit', 'continue', 'dryRun', 'propagationPolicy'),
    ],
    answers: {
      200: {
        description: 'The objects as they were; a `Status` when they are too large.',
        content: objectContent(schemaRef(page)),
      },
    },
    errors: [...WRITE_ERRORS, 'NotFound'],
  });
}

/** The common parts of replacing and patching. */
function updating(content: object): Pick<Parts, 'parameters' | 'answers' | 'errors'> {
  return {
    parameters: parameterRefs('name', 'dryRun', 'fieldValidation', 'ifMatch'),
    answers: {
      200: { description: 'The current object.', headers: headerRefs('ETag', 'Warning'), content },
    },
    errors: [...WRITE_ERRORS, 'NotFound', 'PreconditionFailed'],
  };
}

const PATCH_BODY = {
  required: true,
  description: 'The change.',
  content: {
    'application/merge-patch+json': { schema: schemaRef('MergePatch') },
    'application/json-patch+json': { schema: schemaRef('JsonPatch') },
  },
};

function statusOperations(model: NamedModel): PathItem {
  const { statusTitle } = model;
  const { singular } = model.resource;
  const content = objectContent(schemaRef(model.object));
  const description = 'Only the status is written.';
  return {
    get: operation(model, 'get', `Get${statusTitle}`, {
      summary: `Get a ${singular} with its status`,
      parameters: parameterRefs('name', 'ifNoneMatch'),
      answers: {
        200: { description: 'The object.', headers: headerRefs('ETag'), content },
        304: { $ref: '#/components/responses/NotModified' },
      },
      errors: ['BadRequest', 'NotFound'],
    }),
    put: operation(model, 'put', `Update${statusTitle}`, {
      summary: `Replace the status of a ${singular}`,
      description,
      ...updating(content),
      requestBody: { required: true, description: 'The object with its new status.', content },
    }),
    patch: operation(model, 'patch', `Patch${statusTitle}`, {
      summary: `Patch the status of a ${singular}`,
      description,
      ...updating(content),
      requestBody: PATCH_BODY,
    }),
  };
}

function scaleOperations(model: NamedModel, scaleTitle: string): PathItem {
  const { singular } = model.resource;
  const content = objectContent(schemaRef('AutoscalingScale'));
  const description = 'Only the number of replicas is written.';
  return {
    get: operation(model, 'get', `Get${scaleTitle}`, {
      summary: `Get the scale of a ${singular}`,
      parameters: parameterRefs('name'),
      answers: { 200: { description: 'The scale.', headers: headerRefs('ETag'), content } },
      errors: ['BadRequest', 'NotFound', 'Invalid'],
    }),
    put: operation(model, 'put', `Update${scaleTitle}`, {
      summary: `Replace the scale of a ${singular}`,
      description,
      ...updating(content),
      requestBody: { required: true, description: 'The scale.', content },
    }),
    patch: operation(model, 'patch', `Patch${scaleTitle}`, {
      summary: `Patch the scale of a ${singular}`,
      description,
      ...updating(content),
      requestBody: PATCH_BODY,
    }),
  };
}

function finalizeOperation(model: NamedModel, finalizeTitle: string): object {
  const { singular } = model.resource;
  const content = objectContent(schemaRef(model.object));
  return operation(model, 'put', `Update${finalizeTitle}`, {
    summary: `Replace the finalizers of a ${singular}`,
    description: 'Only `spec.finalizers` is written.',
    ...updating(content),
    requestBody: { required: true, description: 'The object with its new finalizers.', content },
  });
}

function historyOperation(model: NamedModel): object {
  const { singular } = model.resource;
  return operation(model, 'get', `Get${model.historyTitle}`, {
    summary: `List the changes of a ${singular}`,
    description:
      'Newest first, back to the oldest revision in the log (`metadata.oldest`); also for deleted objects, and for earlier objects of the same name.',
    parameters: parameterRefs('name', 'limit', 'continue'),
    answers: { 200: { description: 'The changes.', content: objectContent(schemaRef('ObjectHistory')) } },
    errors: ['BadRequest', 'NotFound', 'Expired'],
  });
}

function modelHistoryOperation(model: NamedModel): object {
  const { plural } = model.resource;
  return operation(model, 'list', `List${model.historyTitle}`, {
    summary: `List the changes of all ${plural}`,
    description:
      'Newest first, back to the oldest revision in the log (`metadata.oldest`); also of deleted objects. A part may have no changes, and `metadata.continue`.',
    parameters: parameterRefs('since', 'user', 'before', 'limit', 'continue'),
    answers: { 200: { description: 'The changes.', content: objectContent(schemaRef('ModelHistory')) } },
    errors: ['BadRequest', 'NotFound', 'Expired'],
  });
}
