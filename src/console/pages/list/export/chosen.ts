/** The limit of a condition in characters: a URL must fit into the header of a request. */
const CONDITION_MAX = 4_000;

/** Lists that together contain the selected objects, in the order of the original list. */
export function getLists(names: readonly string[], list: URLSearchParams): readonly URLSearchParams[] {
  const parts = names.reduce<readonly string[]>((before, name) => {
    const last = before.at(-1);
    if (last === undefined || last.length + name.length > CONDITION_MAX) return [...before, name];
    return [...before.slice(0, -1), `${last},${name}`];
  }, []);
  return parts.map((part) => {
    const chosen = new URLSearchParams({ fieldSelector: `metadata.name in (${part})` });
    for (const value of list.getAll('sort')) chosen.append('sort', value);
    return chosen;
  });
}
