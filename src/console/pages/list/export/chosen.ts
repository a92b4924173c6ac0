/** The limit of a condition in characters: a URL must fit into the header of a request. */
const CONDITION_MAX = 4_000;

/** Lists that together contain the selected objects, in the order of the original list. */
export function getLists(names: readonly string[], list: URLSearchParams): readonly URLSearchParams[] {
  return getConditions(names).map((fieldSelector) => {
    const chosen = new URLSearchParams({ fieldSelector });
    for (const value of list.getAll('sort')) chosen.append('sort', value);
    return chosen;
  });
}

function getConditions(names: readonly string[]): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const name of names) {
    if (part !== '' && part.length + name.length > CONDITION_MAX) {
      parts.push(part);
      part = '';
    }
    part += `${part === '' ? '' : ','}${name}`;
  }
  return [...parts, part].map((one) => `metadata.name in (${one})`);
}
