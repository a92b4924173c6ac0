/** What `import … from 'xsvc'` gives to plugins: the running service's own module. */
import './model/symbol-metadata.js';

export { ServiceError, ERROR_CODES } from './errors.js';
export type { Cause, CauseReason, ErrorCode, ErrorDetails } from './errors.js';

export { AbstractExtension } from './model/extension.js';
export { GVK } from './model/gvk.js';
export { Schema } from './model/schema-decorator.js';
export type { SchemaOptions } from './model/schema-decorator.js';
// eslint-disable-next-line @typescript-eslint/no-deprecated -- older plugins still declare their indexes with them
export { IndexAttributeFactory, IndexSpec, IndexSpecs } from './model/index-spec.js';
export type { ExtensionObject, Json, JsonObject, Metadata } from './model/object.js';
export type { Column, GroupVersionKind, IndexOrder, KeyType, Resource } from './model/resource.js';
export type { ModelClass, Scheme } from './model/scheme.js';

export { Queries } from './query/queries.js';
export type { Condition, Scalar } from './query/condition.js';
export type { ListOptions, Page } from './query/list-options.js';

export type {
  ClientBatchItem,
  Extension,
  ExtensionClient,
  ListResult,
  MatchOptions,
  ModelRef,
} from './service/extension-client.js';

export { BasePlugin } from './plugin/base-plugin.js';
export type { PluginContext, SchemeManager } from './plugin/context.js';
export type { PluginManifest, PluginSpec } from './plugin/manifest.js';
export type { Logger } from './lib/logger.js';

export { Router } from 'express';
