import type { ModelClass } from './model-class.js';

/** An instance of the model with the members of the object. The constructor does not run. */
export function createInstance<T extends object>(model: ModelClass<T>, object: object): T {
  const instance = Object.create(getPrototype(model)) as Record<string, unknown>;
  for (const [key, value] of Object.entries(object)) {
    // An assignment would run an inherited setter, for example that of __proto__.
    if (key in instance)
      Object.defineProperty(instance, key, { value, writable: true, enumerable: true, configurable: true });
    else instance[key] = value;
  }
  return instance as T;
}

function getPrototype(model: ModelClass): object {
  const prototype: unknown = model.prototype;
  return typeof prototype === 'object' && prototype !== null ? prototype : Object.prototype;
}
