/** The exports of `import … from 'xsvc'` for plugins: the running service's own module. */
import './model/declare/symbol-metadata.js';
import { ListResult as pageTypes } from './endpoint/list-result.js';
import type { ListResult as PageOfObjects } from './service/extension-client.js';

export { ServiceError, ERROR_CODES } from './errors.js';
export type { Cause, CauseReason, ErrorCode, ErrorDetails } from './errors.js';

export { AbstractExtension } from './model/declare/extension.js';
export { GVK } from './model/declare/gvk.js';
export type { GvkDeclaration } from './model/declare/gvk.js';
export { Schema } from './model/declare/schema-decorator.js';
export type { ConsoleHints } from './model/schema/hints.js';
export { Reference } from './model/references/decorator.js';
export type { ReferenceOptions } from './model/references/decorator.js';
export type { DeletePolicy, ModelKind, ModelReference, ReferenceStep } from './model/references/reference.js';
export { Rule } from './model/rules/rule-decorator.js';
export type { RuleDecorator } from './model/rules/rule-decorator.js';
export type { RuleOptions } from './model/rules/declaration.js';
export type { Fault, Validate } from './model/rules/code-rules.js';
export type {
  RequiredMode,
  SchemaOptions,
  SchemaType,
  ValueOptions,
} from './model/declare/schema-decorator.js';
// eslint-disable-next-line @typescript-eslint/no-deprecated -- older plugins still declare their indexes with them
export { IndexAttributeFactory, IndexSpec, IndexSpecs } from './model/declare/index-spec.js';
export type {
  IndexSource,
  IndexSpecBuilder,
  IndexSpecOptions,
  IndexSpecsBuilder,
  KeyTypeOf,
} from './model/declare/index-spec.js';
export type { DeclareIndexes } from './model/declare/scheme-builder.js';
export { ownerReference } from './model/owner-references.js';
export type { Owner, PropagationPolicy } from './model/owner-references.js';
export type {
  ExtensionObject,
  Json,
  JsonObject,
  ExtensionMetadata,
  Metadata,
  OwnerReference,
} from './model/object.js';
export type { Column, GroupVersionKind, IndexOrder, KeyType, Resource } from './model/resource.js';
export type { ModelClass } from './model/declare/model-class.js';
export type { ModelVersions, Scheme } from './model/declare/scheme.js';
export type {
  AnyMigrationOptions,
  AnyVersionOptions,
  Convert,
  MigrationOptions,
  ModelOptions,
  VersionOptions,
} from './model/evolve/versions.js';
export type { Conversion, Migration } from './model/evolve/conversion.js';

export { Queries } from './query/condition-builders.js';
export type { TextOptions } from './query/condition-builders.js';
export type { Condition, Scalar } from './query/condition.js';
export type { GetOptions, ListOptions, MatchOptions, Page } from './query/list-options.js';

export type {
  ClientBatchItem,
  ClientDeleteOptions,
  Extension,
  ExtensionClient,
  ModelRef,
  NewMetadata,
  NewObject,
} from './service/extension-client.js';
export type { ListGroup, ListGroups } from './list/aggregates/aggregates.js';
export type { FacetCount } from './list/facets/facets.js';
export type {
  BookmarkObject,
  Facets,
  Included,
  PatchType,
  WatchEvent,
  WatchOptions,
  WithIncluded,
} from './service/verbs.js';

export type { ControllerBuilder } from './controller/builder.js';
export type { Controller } from './controller/controller.js';
export { setCondition } from './controller/conditions.js';
export type { NewCondition, StatusCondition } from './controller/conditions.js';
export { addFinalizers, isDeleted, removeFinalizers } from './controller/finalizers.js';
export type { Reconciler } from './controller/reconciler.js';
export type { Reconciling, Request, Result } from './controller/request.js';

export type { CustomEndpoint } from './endpoint/custom-endpoint.js';
export { RouteBuilder } from './endpoint/route-builder.js';
export type { Describe, DescriptionBuilder } from './endpoint/description-builder.js';
export type {
  BodyDescription,
  DescribedType,
  EndpointRequest,
  EndpointResponse,
  Handler,
  ParameterDescription,
  ResponseDescription,
  RouteSet,
} from './endpoint/route.js';
export { respond } from './endpoint/respond.js';
export {
  ApiVersion,
  DeleteMapping,
  GetMapping,
  mapMethods,
  PatchMapping,
  PostMapping,
  PutMapping,
  RequestMapping,
} from './endpoint/controller.js';
export { SortableRequest } from './endpoint/sortable-request.js';
export type { PageRequest } from './endpoint/sortable-request.js';
export { RequestBodyValidationError, validateBody } from './endpoint/validate-body.js';
export { Email, Max, Min, NotBlank, NotNull, Pattern, Size } from './endpoint/constraints.js';
export type { ConstraintOptions, SizeOptions } from './endpoint/constraints.js';
/** The type of a page of objects, and `ListResult.of(Model)` for the description of endpoints that return one. */
export const ListResult = pageTypes;
export type ListResult<T> = PageOfObjects<T>;

export { BasePlugin } from './plugin/base-plugin.js';
export type { Events, EventSubject } from './events/recorder.js';
export type { EventType } from './events/names.js';
export type { PluginContext, SchemeManager } from './plugin/context.js';
export type { PluginAuthor, PluginLicense, PluginManifest, PluginSpec } from './plugin/manifest/manifest.js';
export type { PluginPermission } from './plugin/manifest/permissions.js';
export type { Logger } from './lib/log/logger.js';

export { Router } from 'express';
