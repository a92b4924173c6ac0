import { AbstractExtension, GVK, IndexSpecs, Schema } from '../../src/index.js';
import type { TestService } from './store.js';

/** A namespaced model, which only data can declare. */
@GVK({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
})
@Schema({
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
})
class Widget extends AbstractExtension {
  declare spec: { readonly size?: number };
}

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

export async function registerWidgets({ registry, service }: TestService): Promise<void> {
  const scheme = registry.register(
    Widget,
    'test',
    (specs) =>
      specs.add(IndexSpecs.single<Widget, number>('spec.size', 'integer').indexFunc(({ spec }) => spec.size)),
    { scope: 'Namespaced' },
  );
  await service.models.open(scheme);
}
