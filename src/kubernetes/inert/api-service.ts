import { hasCode } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';

const NAME = 'kubernetes';
const NAMESPACE = 'default';

/** Creates the Service that each cluster has for its API when it is absent: clients expect it. It has no address of this service. */
export async function openApiService(service: Service, services: Resource): Promise<void> {
  const [found] = await service.getMany(services, [`${NAMESPACE}/${NAME}`]);
  if (found !== undefined) return;
  try {
    await service.create(services, {
      metadata: {
        name: NAME,
        namespace: NAMESPACE,
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: { ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
    });
  } catch (error) {
    // Another process was faster.
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}
