import { isRecord } from '../../lib/json/json.js';
import { isNamespaced } from '../../model/full-name.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import { ITEMS_BYTES_MAX, jsonBytes, objectTooLarge } from '../answer/bounds.js';
import { checkVisible, findModel, MODEL, shownModel } from '../names.js';
import { defineTool, READS, type ToolAnswer } from '../tool.js';

export const SCHEMA_TOOL = defineTool({
  name: 'schema',
  title: 'Describe a model',
  description:
    'Describes one model: its JSON schema, the indexed fields for `fieldSelector`, `filter` and `sort`, and its references to other models.',
  parameters: { model: MODEL },
  ...READS,
  run: async ({ model }, caller) => {
    const resource = await findModel(caller, model);
    checkVisible(caller, resource);
    return describe(resource);
  },
});

function describe(resource: Resource): ToolAnswer {
  const { kind, shortNames, indexes, references = [], schema } = resource;
  const answer = {
    model: shownModel(resource),
    apiVersion: getApiVersion(resource),
    kind,
    namespaced: isNamespaced(resource),
    shortNames,
    indexedFields: indexes
      .filter(({ keyType }) => keyType !== 'text')
      .map(({ name, keyType, multi, unique }) => ({
        field: name,
        type: keyType,
        ...(multi && { multi }),
        ...(unique && { unique }),
      })),
    search: indexes.some(({ keyType }) => keyType === 'text'),
    references: references.map(({ field, group, kind: target, onDelete }) => ({
      field,
      to: { group, kind: target },
      onDelete,
    })),
  };
  for (const shown of shorterAndShorter(schema)) {
    const whole = { ...answer, ...shown };
    if (jsonBytes(whole) <= ITEMS_BYTES_MAX) return whole;
  }
  throw objectTooLarge(`the schema of ${shownModel(resource)}`, schema);
}

/** Deepest level of a shortened schema. */
const LEVELS_MAX = 12;

function* shorterAndShorter(schema: unknown): Generator<ToolAnswer> {
  yield { schema };
  yield { schema: shortened(schema, Infinity), shortened: 'descriptions are left out' };
  for (let levels = LEVELS_MAX; levels > 1; levels--)
    yield {
      schema: shortened(schema, levels),
      shortened: `descriptions, and properties below level ${levels}, are left out`,
    };
}

/** The schema without descriptions, and without properties below a level. */
function shortened(schema: unknown, levels: number): unknown {
  if (Array.isArray(schema)) return schema.map((one) => shortened(one, levels));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'description' && typeof value === 'string') return [];
      if (key !== 'properties' || !isRecord(value)) return [[key, shortened(value, levels)]];
      if (levels <= 1) return [];
      return [
        [
          key,
          Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one, levels - 1)])),
        ],
      ];
    }),
  );
}
