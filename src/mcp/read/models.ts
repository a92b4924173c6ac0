import { getApiVersion, type Resource } from '../../model/resource.js';
import { inOneVersion } from '../../model/resolve-resource.js';
import { isNamespaced } from '../../model/full-name.js';
import { countFitting, ITEMS_BYTES_MAX, jsonBytes } from '../answer/bounds.js';
import { isVisible } from '../caller.js';
import { shownModel } from '../names.js';
import { defineTool, READS, type ToolAnswer } from '../tool.js';

export const MODELS_TOOL = defineTool({
  name: 'models',
  title: 'List models',
  description:
    'Lists the models (kinds of objects) that you may use, with their names. Start here. Then call `schema` for the fields of one model.',
  parameters: {},
  ...READS,
  run: async (_given, caller) => {
    const all = await caller.reads.resources();
    return bounded(inOneVersion(all).filter((resource) => isVisible(caller, resource)));
  },
});

function bounded(resources: readonly Resource[]): ToolAnswer {
  const items = resources.map(describe);
  if (jsonBytes(items) <= ITEMS_BYTES_MAX) return { items };
  const names = items.map(({ model }) => ({ model }));
  const count = countFitting(names);
  return { items: names.slice(0, count), ...(count < names.length && { omitted: names.length - count }) };
}

interface ModelItem {
  /** The name that tools accept. */
  readonly model: string;
  readonly [member: string]: unknown;
}

function describe(resource: Resource): ModelItem {
  const { kind, shortNames, schema } = resource;
  return {
    model: shownModel(resource),
    apiVersion: getApiVersion(resource),
    kind,
    namespaced: isNamespaced(resource),
    ...(shortNames.length > 0 && { shortNames }),
    ...(typeof schema.description === 'string' && { description: schema.description }),
  };
}
