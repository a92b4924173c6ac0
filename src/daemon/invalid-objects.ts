import { ServiceError } from '../errors.js';
import type { Logger } from '../lib/log/logger.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { PluginManager } from '../plugin/manager.js';
import { DanglingFinder, danglingText } from '../lifecycle/dangling.js';
import { formatNamed } from '../lifecycle/scan.js';
import type { ModelLifecycle } from '../lifecycle/model-lifecycle.js';
import type { Store } from '../store/store.js';

/**
 * Checks that the stored objects of a model fit it.
 * @throws ServiceError `Invalid` that names the first ones that do not
 */
export async function refuseInvalidObjects(lifecycle: ModelLifecycle, scheme: Scheme): Promise<void> {
  const scan = await lifecycle.scan(scheme);
  if (scan.invalid === 0) return;
  const { group, kind } = scheme.resource;
  const message = `${formatInvalid(scan.invalid, kind)}: ${formatNamed(scan)}`;
  throw new ServiceError('Invalid', message, { group, kind });
}

/** Warns about references to models that no plugin has ever declared: such a field cannot be written. */
export function warnUnknownTargets(store: Store, manager: PluginManager, logger: Logger): void {
  for (const { name, schemes } of manager.started) {
    for (const { resource } of schemes) {
      for (const reference of resource.references ?? []) {
        if (store.findTable(reference) !== undefined) continue;
        const target = `${reference.kind} of the group "${reference.group}"`;
        logger.warn(
          `${resource.kind}: ${reference.field} refers to the model ${target}, which no plugin declares; writes of this reference are rejected until one does`,
          { plugin: name },
        );
      }
    }
  }
}

/**
 * Counts the stored objects that do not fit, for models whose schema changed and for those that had such objects before. Other
 * requests are served meanwhile. The result is stored in the store, and in the objects of the plugins.
 */
export async function countInvalidObjects(
  lifecycle: ModelLifecycle,
  manager: PluginManager,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const isEnding = (): boolean => signal.aborted;
  for (const { name, schemes } of manager.started) {
    let isCounted = false;
    for (const scheme of schemes) {
      if (isEnding()) return;
      if (!lifecycle.needsScan(scheme)) continue;
      const dangling = new DanglingFinder(lifecycle.store, scheme);
      const { invalid, named } = await lifecycle.scan(scheme, { signal, onBatch: dangling.add });
      if (isEnding()) return;
      await lifecycle.saveScan(scheme, { invalid, dangling: dangling.count });
      isCounted = true;
      for (const found of dangling.found())
        logger.warn(
          `${scheme.resource.kind}: ${danglingText(found)}; run xsvc model plan to see the first ones`,
          { plugin: name },
        );
      if (invalid === 0) continue;
      const [first] = named;
      logger.warn(`${formatInvalid(invalid, scheme.resource.kind)}; run xsvc check --schema to list them`, {
        plugin: name,
        ...(first && { first: `${first.name}: ${first.problem}` }),
      });
    }
    if (isCounted && manager.find(name)?.running !== undefined) await manager.report(name);
  }
}

function formatInvalid(invalid: number, kind: string): string {
  return `${invalid} stored ${invalid === 1 ? 'object of' : 'objects of'} ${kind} ${invalid === 1 ? 'is' : 'are'} invalid`;
}
