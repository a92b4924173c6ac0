/** The URL of the builder for a new model, or for a definition by its name. */
export function getBuilder(definition?: string): string {
  return definition === undefined ? '#/builder' : `#/builder/${encodeURIComponent(definition)}`;
}

/** The place of the builder that a URL names. */
interface BuilderPlace {
  /** The name of the definition: `<plural>.<group>`; undefined for a new one. */
  readonly name: string | undefined;
  /** The name of an example to install. */
  readonly example: string | undefined;
}

/** @param hash the part of the URL after `#` */
export function parsePlace(hash: string): BuilderPlace {
  const [path = '', search] = hash.replace(/^#?\/?/, '').split('?');
  const [, name = ''] = path.split('/');
  const example = new URLSearchParams(search).get('example') ?? undefined;
  try {
    return { name: name === '' ? undefined : decodeURIComponent(name), example };
  } catch {
    return { name, example };
  }
}
