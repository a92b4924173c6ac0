/** A manager of an object, with the fields that it owns (`metadata.managedFields` of Kubernetes). */
export interface FieldManagerEntry {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  readonly subresource: string | undefined;
  /** The last change of its fields; undefined when it is unknown. */
  readonly time: string | undefined;
  /** Paths without a leading dot, such as `spec.ports[port=80].name`; the fields below them are left out where all are owned. */
  readonly fields: readonly string[];
}

/** Reads the managers of an object. Entries that cannot be read are left out. */
export function readFieldManagers(managedFields: unknown): readonly FieldManagerEntry[] {
  if (!Array.isArray(managedFields)) return [];
  return managedFields.filter(isObject).map((entry) => ({
    manager: textOf(entry.manager) ?? 'unknown',
    operation: textOf(entry.operation) ?? 'Update',
    subresource: textOf(entry.subresource),
    time: textOf(entry.time),
    fields: isObject(entry.fieldsV1)
      ? [...pathsIn(entry.fieldsV1)].map((path) => path.replace(/^\./u, ''))
      : [],
  }));
}

/** The deepest paths of a set. */
function* pathsIn(set: Readonly<Record<string, unknown>>, above = ''): Generator<string> {
  for (const [step, below] of Object.entries(set)) {
    // The field itself, beside fields below it.
    if (step === '.') continue;
    const path = above + formatStep(step);
    if (isObject(below) && Object.keys(below).some((one) => one !== '.')) yield* pathsIn(below, path);
    else yield path;
  }
}

/** A step of a path: the member of a map, the keys of an item, its value, or its position. */
function formatStep(step: string): string {
  const text = step.slice(2);
  if (step.startsWith('f:')) return `.${text}`;
  const keys = step.startsWith('k:') ? parse(text) : undefined;
  if (!isObject(keys)) return `[${text}]`;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(',')}]`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
