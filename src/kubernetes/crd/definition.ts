import type { Cause } from '../../errors.js';
import type { JsonObject } from '../../model/object.js';
import * as read from './reader.js';
import type { Read, Reader, ReadRecord } from './reader.js';
import { schema } from './rules/structural-schema.js';

const { flag, listOf, object, recordOf, text } = read;

const names = recordOf({
  plural: text,
  singular: text,
  shortNames: listOf(text),
  kind: text,
  listKind: text,
  categories: listOf(text),
});

const column = recordOf({
  name: text,
  type: text,
  format: text,
  description: text,
  priority: read.integer,
  jsonPath: text,
});

const scale = recordOf({ specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text });

const version = recordOf({
  name: text,
  served: flag,
  storage: flag,
  deprecated: flag,
  deprecationWarning: text,
  schema: recordOf({ openAPIV3Schema: schema }),
  subresources: recordOf({ status: object, scale }),
  additionalPrinterColumns: listOf(column),
  selectableFields: listOf(recordOf({ jsonPath: text })),
});

const service = recordOf({ namespace: text, name: text, path: text, port: read.integer });

const webhook = recordOf({
  clientConfig: recordOf({ url: text, service, caBundle: text }),
  conversionReviewVersions: listOf(text),
});

const conversion = recordOf({ strategy: text, webhook });

const spec = recordOf({
  group: text,
  names,
  scope: text,
  versions: listOf(version),
  conversion,
  preserveUnknownFields: flag,
});

const DEFINITION = {
  metadata: recordOf({ name: text, annotations: read.mapOf(text) }),
  spec,
  status: recordOf({
    storedVersions: listOf(text),
    conditions: listOf(recordOf({ type: text, status: text })),
  }),
};
const definition: Reader<Definition> = recordOf(DEFINITION);

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1`, without members that Kubernetes does not know. */
export type Definition = ReadRecord<typeof DEFINITION>;
export type DefinitionSpec = Read<typeof spec>;
export type DefinitionConversion = Read<typeof conversion>;
export type DefinitionVersion = Read<typeof version>;
export type PrinterColumn = Read<typeof column>;
export type ScalePaths = Read<typeof scale>;
/** The names of a kind in requests and in objects. */
export type DefinitionNames = Read<typeof names>;

/** Reads a definition. Where a value has a wrong type, it is left out, and there is a cause. */
export function readDefinition(crd: JsonObject): { definition: Definition; causes: Cause[] } {
  const causes: Cause[] = [];
  return { definition: definition(crd, '', { causes, depth: 0 }) ?? {}, causes };
}
