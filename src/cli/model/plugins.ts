import { formatExcerpt, ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { UnknownResource } from '../../model/resolve-resource.js';
import { qualifiedPlural, type Resource } from '../../model/resource.js';
import type { Verbs } from '../../service/verbs.js';

export const PLUGINS = { group: 'plugin.platform.run', plural: 'plugins' };

/** A model of the service itself; undefined in a store that was never served by a program that has it. */
export async function findOwnModel(
  verbs: Pick<Verbs, 'resources'>,
  model: typeof PLUGINS,
): Promise<Resource | undefined> {
  const resources = await verbs.resources(qualifiedPlural(model));
  return resources.find(({ group, plural }) => group === model.group && plural === model.plural);
}

/** The limit of plugins in a message. */
const PLUGINS_MAX = 3;
const SERVING: ReadonlySet<unknown> = new Set(['STARTED', 'RESOLVED']);

/** Adds the plugins that do not serve to the error for an unknown resource: one of them may have it. Other errors are returned unchanged. */
export async function explainUnknown(error: unknown, verbs: Verbs): Promise<unknown> {
  if (!(error instanceof UnknownResource) || error.near !== undefined) return error;
  // A sender without the right to list plugins gets the error as it is.
  const idle = await idlePlugins(verbs).catch(() => []);
  if (idle.length === 0) return error;
  const remainder = idle.length > PLUGINS_MAX ? `; and ${idle.length - PLUGINS_MAX} more` : '';
  const message = `${error.message}; a plugin that does not serve may have it: ${idle.slice(0, PLUGINS_MAX).join('; ')}`;
  return new ServiceError(error.code, message + remainder, error.details);
}

async function idlePlugins(verbs: Verbs): Promise<string[]> {
  const plugins = await findOwnModel(verbs, PLUGINS);
  if (plugins === undefined) return [];
  const { items } = await verbs.list(plugins, {});
  return items.flatMap(({ metadata, status }) => {
    const { phase, message } = isRecord(status) ? status : {};
    if (typeof phase !== 'string' || SERVING.has(phase)) return [];
    const reason = typeof message === 'string' ? `: ${formatExcerpt(message)}` : '';
    return [`"${metadata.name}" (${phase}${reason})`];
  });
}
