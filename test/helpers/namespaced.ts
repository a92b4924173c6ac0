import type { DataModel } from '../../src/model/declare/data-model.js';
import { compileModel } from '../../src/model/validate/validator.js';
import type { TestService } from './store.js';

const SCHEMA = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { size: { type: 'integer' } } },
    metadata: { type: 'object', properties: { name: { type: 'string' }, namespace: { type: 'string' } } },
  },
};

const VERSION = { schema: SCHEMA, columns: [], isServed: true };

const WIDGETS: DataModel = {
  group: 'shop.example.com',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: [],
  categories: [],
  scope: 'Namespaced',
  storageVersion: 'v1',
  indexes: [
    {
      name: 'spec.size',
      keyType: 'integer',
      multi: false,
      unique: false,
      order: 'ASC',
      sparse: false,
      source: '.spec.size',
      read: ({ spec }) => (spec as { readonly size?: number } | undefined)?.size,
    },
  ],
  versions: [
    { ...VERSION, version: 'v1', check: compileModel(SCHEMA) },
    { ...VERSION, version: 'v2', check: compileModel(SCHEMA) },
  ],
};

export const WIDGET_REF = {
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
} as const;

export function widget(namespace: string, name: string, size = 1) {
  return {
    apiVersion: 'shop.example.com/v1',
    kind: 'Widget',
    metadata: { namespace, name, labels: { parity: size % 2 === 0 ? 'even' : 'odd' } },
    spec: { size },
  };
}

/** Serves a namespaced model in two versions. */
export async function openWidgets({ registry, service }: TestService): Promise<void> {
  await service.models.open(registry.registerData(WIDGETS, 'test'));
}
