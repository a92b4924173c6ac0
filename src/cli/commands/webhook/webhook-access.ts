import type { Service } from '../../../service/service.js';
import type { GlobalFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { existingStore, openCommandLog } from '../../session.js';

export const WEBHOOKS = { group: 'delivery.platform.run', plural: 'webhooks' };
export const API_VERSION = `${WEBHOOKS.group}/v1alpha1`;

/** Runs work on the webhooks of a store. */
export async function onStore<T>(
  name: string,
  flags: GlobalFlags,
  io: CliIo,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const config = await existingStore(name, flags, io);
  const { openWriter } = await import('../../../daemon/offline/plugin-store.js');
  const service = await openWriter(config, await openCommandLog(flags, io));
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}
