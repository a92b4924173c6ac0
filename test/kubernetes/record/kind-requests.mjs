/** The request of a step, with its namespace and its long values. */
export function inNamespace({ path, ...step }, namespace) {
  const full = path.startsWith('/') ? path : `/api/v1/namespaces/NS/${path}`;
  const text = JSON.stringify({ ...step, path: full }).replaceAll('NS', namespace);
  return JSON.parse(text, (_key, value) =>
    typeof value?.repeated === 'number' ? 'x'.repeat(value.repeated) : value,
  );
}

const SYSTEM = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'updateTimestamp',
  'generation',
  'managedFields',
];

/** The parts of an answer that are compared: the object or the verdict, without sentences. */
export function summary(status, text) {
  if (!text.startsWith('{')) return { status };
  const { kind, metadata = {}, reason, details = {}, items, ...rest } = JSON.parse(text);
  if (kind === 'Status' && status < 300) return { status };
  if (kind === 'Status') {
    const causes = (details.causes ?? []).map((cause) => `${cause.field ?? ''} ${cause.reason ?? ''}`);
    return { status, reason, causes: [...new Set(causes)].sort() };
  }
  if (items !== undefined) return { status, items: items.length };
  const kept = Object.entries(metadata).filter(([name]) => !SYSTEM.includes(name));
  const object = {
    kind,
    metadata: Object.fromEntries(
      kept.map(([name, value]) => [
        name,
        name === 'deletionTimestamp' || (name.startsWith('name') && metadata.generateName)
          ? typeof value
          : value,
      ]),
    ),
    ...rest,
    ...(reason !== undefined && { reason }),
  };
  const size = JSON.stringify(object).length;
  return size > 10_000 ? { status, size } : { status, object };
}
