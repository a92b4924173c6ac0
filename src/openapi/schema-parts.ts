export const text = { type: 'string' } as const;
export const texts = { type: 'array', items: text } as const;
export const anyObject = { type: 'object', additionalProperties: true } as const;
/** The members that name a version of a model. */
export const modelMembers = { group: text, version: text, kind: text, plural: text } as const;

/**
 * The schema of an object.
 * @param members their schemas by name; `name?` may be absent from the object
 * @param more further keywords of the schema
 */
export function objectSchema(members: Readonly<Record<string, object>>, more: object = {}): object {
  const names = Object.keys(members);
  const required = names.filter((name) => !name.endsWith('?'));
  const properties = names.map((name) => [name.replace(/\?$/, ''), members[name]] as const);
  return {
    type: 'object',
    ...more,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  };
}

/** The schema of an object with `apiVersion` and `kind`, see {@link objectSchema}. */
export function kindSchema(
  apiVersion: string,
  kind: string,
  members: Readonly<Record<string, object>>,
  more: object = {},
): object {
  const type = { apiVersion: { ...text, enum: [apiVersion] }, kind: { ...text, enum: [kind] } };
  return objectSchema({ ...type, ...members }, more);
}
