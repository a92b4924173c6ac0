import { fullName } from '../model/full-name.js';
import type { Resource } from '../model/resource.js';
import { pickOptions, type ListOptions } from '../query/list-options.js';
import { SELECTORS } from '../query/list-parameters.js';
import type { Verbs } from '../service/verbs.js';
import type { SelectionFlags, SelectorFlags } from './commands/shared.js';
import { UsageError } from './exit.js';
import { readManifests } from './input/manifests.js';
import type { CliIo } from './io.js';
import { findScope, listedIn, type ScopeFlags } from './remote/namespaces.js';
import type { Failures } from './results.js';
import { readTargets, type Target } from './targets.js';

/**
 * Checks that a command line selects objects in exactly one way, before anything is opened.
 * @param args a resource and names, or `<resource>/<name>`s
 * @throws UsageError
 */
export function checkSelection(command: string, args: readonly string[], flags: SelectionFlags): void {
  const { all = false, filename } = flags;
  for (const { name, flag } of SELECTORS) checkNotEmpty(flag[0].replace(/[, ].*/, ''), flags[name] ?? []);
  const selects = hasSelectors(flags);
  if (filename !== undefined) {
    if (args.length > 0 || selects || all)
      throw new UsageError('-f cannot be combined with names, selectors or --all');
    return;
  }
  const [resource, ...names] = args;
  if (resource === undefined)
    throw new UsageError(`${command} needs a resource with names, a selector or --all, or -f`);
  const isNamed = names.length > 0 || resource.includes('/');
  if (isNamed && (selects || all)) throw new UsageError('names cannot be combined with selectors or --all');
  if (selects && all) throw new UsageError('selectors cannot be combined with --all');
  if (!isNamed && !selects && !all)
    throw new UsageError(`${command} needs names, a selector (-l, --field-selector, --filter), --all, or -f`);
}

/**
 * Refuses an empty selector: an unset variable of a script must not select every object, least of all for a deletion.
 * @throws UsageError for an empty selector
 */
export function checkNotEmpty(flag: string, selectors: readonly string[]): void {
  if (selectors.some((text) => text.trim() === ''))
    throw new UsageError(`${flag} is empty and would select every object; leave it out, or use --all`);
}

/** The objects that a command line selects; selected objects are in their current state. */
export async function selectTargets(
  verbs: Verbs,
  args: readonly string[],
  flags: ScopeFlags & SelectionFlags,
  world: { readonly io: CliIo; readonly failures: Failures },
): Promise<readonly Target[]> {
  const { filename } = flags;
  const scope = await findScope(flags, world.io);
  const resources = await verbs.resources(filename === undefined ? args[0] : undefined);
  if (filename !== undefined) {
    const { manifests, problems } = await readManifests(
      world.io,
      { ...flags, filename },
      { resources, scope },
    );
    for (const problem of problems) await world.failures.add(problem);
    return manifests;
  }
  const { resource, names } = readTargets(resources, args, scope);
  if (names.length > 0) return names;
  return selected(verbs, resource, { ...pickOptions(flags, SELECTORS), ...listedIn(scope, resource) });
}

async function selected(verbs: Verbs, resource: Resource, options: ListOptions): Promise<Target[]> {
  const targets: Target[] = [];
  for await (const { metadata } of verbs.listAll(resource, options))
    targets.push({ resource, name: fullName(resource, metadata) });
  return targets;
}

/** True when a command line has a selector or filter. */
export function hasSelectors(flags: SelectorFlags): boolean {
  return SELECTORS.some(({ name }) => (flags[name] ?? []).length > 0);
}
