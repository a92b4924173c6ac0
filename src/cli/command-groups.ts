/** Headings of the overview, each with its commands in order. Other commands are under "Other commands". */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Read objects:': ['get', 'list', 'describe', 'history', 'watch', 'wait', 'explain', 'api-resources', 'why'],
  'Write objects:': [
    'apply',
    'create',
    'diff',
    'validate',
    'edit',
    'patch',
    'label',
    'annotate',
    'delete',
    'undo',
  ],
  'Move and repair data:': ['export', 'import', 'backup', 'restore', 'check', 'reindex', 'model', 'store'],
  'Service and plugins:': ['init', 'serve', 'plugin', 'token', 'controllers', 'openapi', 'types', 'bench'],
  'Other commands:': ['completion', 'version', 'help'],
};
const OTHERS = 'Other commands:';

/** The heading of a command. */
export function getGroup(command: string): string {
  return Object.keys(GROUPS).find((heading) => GROUPS[heading]?.includes(command)) ?? OTHERS;
}

/** Commands in the order of the overview: by group, in the groups' order; those of no group last. */
export function inGroups<T extends { readonly name: string }>(commands: readonly T[]): readonly T[] {
  const order = Object.values(GROUPS).flat();
  const getPlace = ({ name }: T): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...commands].sort((a, b) => getPlace(a) - getPlace(b));
}
