/** A class that declares a model. */
export type ModelClass<T extends object = object> = abstract new (...args: never[]) => T;
