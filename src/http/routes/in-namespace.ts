import { badRequest, formatExcerpt } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';

/**
 * A new object in the namespace of its path. Clients of Kubernetes may state an empty namespace.
 * @throws ServiceError `BadRequest` when it states another one
 */
export function inNamespace(body: unknown, namespace: string): unknown {
  if (!isRecord(body)) return body;
  const { metadata = {} } = body;
  if (!isRecord(metadata)) return body;
  const stated = metadata.namespace ?? '';
  if (stated === '' || stated === namespace) return { ...body, metadata: { ...metadata, namespace } };
  throw badRequest(
    `metadata.namespace of the body is ${formatExcerpt(JSON.stringify(stated))}, but the path has "${namespace}"`,
  );
}
