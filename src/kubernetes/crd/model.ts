import type { DataIndex, DataModel, DataVersion } from '../../model/declare/data-model.js';
import type { JsonObject } from '../../model/object.js';
import { getApiVersion, type Column, type ScaledMembers } from '../../model/resource.js';
import { withBaseProperties } from '../../model/schema/base-schema.js';
import { objectNodeOf } from '../../model/structural/node.js';
import { prune } from '../../model/structural/repair.js';
import { shownDefaults } from '../../model/structural/shown-defaults.js';
import { structuralCheck } from '../../model/structural/structural-check.js';
import type { ObjectCheck } from '../../model/validate/validator.js';
import type {
  Definition,
  DefinitionNames,
  DefinitionVersion,
  PrinterColumn,
  ScalePaths,
} from './definition.js';
import { remoteConversion, type ConversionMeans } from './conversion.js';
import { declaredIndexes, selectableIndexes } from './indexes.js';
import { referencesOf } from './references.js';

/** The definition of a kind that is served. */
export interface AcceptedDefinition {
  readonly definition: Definition;
  /** The names that were accepted for it. */
  readonly names: DefinitionNames;
  /** Default: objects may be created. @throws ServiceError when not */
  readonly checkCreate?: () => void;
  readonly means: ConversionMeans;
}

/** The model of a definition. Its schemas are not read before an object is checked. */
export function modelOf(accepted: AcceptedDefinition): DataModel {
  const { spec = {}, metadata = {} } = accepted.definition;
  const { versions = [], group = '' } = spec;
  const { plural = '', kind = '', singular = '', shortNames = [], categories = [] } = accepted.names;
  const storage = versions.find((version) => version.storage === true) ?? {};
  const selectable = selectableIndexes(storage);
  const declared = declaredIndexes(metadata.annotations).indexes;
  const references = referencesOf(storage).found;
  const remote = remoteConversion(accepted.definition, accepted.means);
  return {
    group,
    kind,
    plural,
    singular,
    shortNames,
    categories,
    ...(spec.scope === 'Namespaced' && { scope: 'Namespaced' }),
    origin: 'definition',
    storageVersion: storage.name ?? '',
    // An index of the annotation has a type, so it replaces that of the selectable field.
    indexes: [
      ...selectable.filter(({ name }) => declared.every((one) => one.name !== name)),
      ...declared,
    ].map((index) => withDefaults(index, storage)),
    ...(references.length > 0 && { references }),
    ...(remote !== undefined && { remote }),
    versions: versions.map((version) => ({
      ...versionOf(version, accepted),
      ...(version.deprecated === true && { deprecated: deprecationOf(version, { group, kind }) }),
    })),
  };
}

/** An index reads the objects as they are shown, so its values change with the defaults of the schema. */
function withDefaults(index: DataIndex, { schema }: DefinitionVersion): DataIndex {
  const { digest } = shownDefaults(schema?.openAPIV3Schema ?? {});
  return digest === undefined ? index : { ...index, source: `${index.source}, defaults ${digest}` };
}

function versionOf(version: DefinitionVersion, { checkCreate }: AcceptedDefinition): DataVersion {
  const schema: JsonObject = version.schema?.openAPIV3Schema ?? { type: 'object' };
  const check = structuralCheck(schema);
  const checkObject: ObjectCheck = (object, stored, options) => {
    if (stored === undefined && options?.isStored !== true) checkCreate?.();
    return check(object, stored, options);
  };
  return {
    version: version.name ?? '',
    schema: withBaseProperties(schema),
    columns: (version.additionalPrinterColumns ?? []).flatMap(columnOf),
    isServed: version.served === true,
    statusBy: version.subresources?.status === undefined ? 'field' : 'subresource',
    ...scaleMember(version.subresources?.scale),
    check: checkObject,
    prune: (object) => void prune(objectNodeOf(schema), object),
    shownDefaults: shownDefaults(schema),
  };
}

function scaleMember(paths: ScalePaths | undefined): { scale?: ScaledMembers } {
  if (paths === undefined) return {};
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = paths;
  const selector = labelSelectorPath !== '' && { labelSelectorPath };
  return { scale: { specReplicasPath, statusReplicasPath, ...selector } };
}

function deprecationOf(
  { name = '', deprecationWarning }: DefinitionVersion,
  { group, kind }: { readonly group: string; readonly kind: string },
): string {
  return deprecationWarning ?? `${getApiVersion({ group, version: name })} ${kind} is deprecated`;
}

const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'date'] as const;

function columnOf({ name = '', jsonPath = '', type, priority, description }: PrinterColumn): Column[] {
  const known = COLUMN_TYPES.find((one) => one === type);
  if (known === undefined) return [];
  return [
    {
      name,
      jsonPath,
      type: known,
      ...(priority !== undefined && { priority }),
      ...(description !== undefined && { description }),
    },
  ];
}
