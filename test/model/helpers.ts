import { GVK, type GvkDeclaration } from '../../src/model/declare/gvk.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';

/** A declaration in the group `example.com`, version `v1`. */
export function gvk(kind: string): GvkDeclaration {
  const singular = kind.toLowerCase();
  return { group: 'example.com', version: 'v1', kind, plural: `${singular}s`, singular };
}

/** A new model class with a static schema of its `spec`, and further static members. */
export function modelOf(kind: string, spec: unknown = {}, statics: object = {}): ModelClass {
  const model = class {
    static schema = { type: 'object', properties: { spec, status: { type: 'object' } } };
  };
  Object.defineProperty(model, 'name', { value: kind });
  Object.assign(model, statics);
  GVK(gvk(kind))(model);
  return model;
}

/** A stored object with the given parts. */
export function objectOf(parts: Partial<ExtensionObject> = {}): ExtensionObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: {
      name: 'a',
      uid: '00000000-0000-4000-8000-000000000000',
      generation: 1,
      version: 0,
      resourceVersion: '1',
      creationTimestamp: '2026-11-20T08:00:00.123Z',
      updateTimestamp: '2026-11-20T08:00:00.123Z',
    },
    ...parts,
  };
}
