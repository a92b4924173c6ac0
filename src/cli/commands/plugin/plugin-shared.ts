import type { ExtensionObject } from '../../../model/object.js';
import type { CliIo } from '../../io.js';
import type { GlobalFlags } from '../../flags.js';
import { PLUGINS } from '../../model/plugins.js';
import { loadConfig } from '../../session.js';

/** The plugins in the configured directories, as objects that are not stored yet. */
export async function installedPlugins(flags: GlobalFlags, io: CliIo): Promise<ExtensionObject[]> {
  const config = await loadConfig(flags, io);
  const { discover } = await import('../../../daemon/core.js');
  const { plugins, broken } = await discover(config);
  const getObject = (name: string, spec: object, status: object): ExtensionObject => ({
    apiVersion: `${PLUGINS.group}/v1alpha1`,
    kind: 'Plugin',
    metadata: {
      name,
      version: 0,
      generation: 1,
      uid: '',
      resourceVersion: '',
      creationTimestamp: '',
      updateTimestamp: '',
    },
    spec,
    status,
  });
  return [
    ...plugins.map(({ name, directory, manifest }) =>
      getObject(name, { ...manifest.spec }, { phase: 'PENDING', message: 'was never served', directory }),
    ),
    ...broken.map(({ name, directory, error }) =>
      getObject(name, {}, { phase: 'FAILED', message: error.message, directory }),
    ),
  ];
}
