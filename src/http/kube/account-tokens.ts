import type { Request } from 'express';
import { accountUser } from '../../access/rbac/account-user.js';
import { SERVICE_ACCOUNTS } from '../../access/rbac/models.js';
import { TOKENS } from '../../access/models.js';
import { newToken } from '../../access/token.js';
import { badRequest, invalid, type Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { joinFullName } from '../../model/full-name.js';
import { getApiVersion, getPath } from '../../model/resource.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import { parseBody } from '../body/body.js';
import { findUser } from '../guards/access-guard.js';
import { TOKEN_REQUEST } from '../platform/discovery.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';
import { specIn, type ReviewSpec } from './review.js';

const SECONDS_DEFAULT = 3_600;
/** The bounds of Kubernetes. */
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;
/** Longer lifetimes are shortened to a year, as a kube-apiserver does with its own limit. */
const SECONDS_GIVEN_MAX = 365 * 86_400;

/** Tokens of service accounts. Each ends, also when its account is deleted. */
export const ACCOUNT_TOKENS: PlatformEndpoint = {
  method: 'POST',
  path: `${getPath(SERVICE_ACCOUNTS, ':namespace')}/:name/token`,
  handler:
    ({ bodies, converter, service }) =>
    async (req: Request, res) => {
      const body: unknown = await parseBody(await bodies.read(req), bodies.formatOf(req), converter);
      const lifetime = lifetimeIn(body);
      const seconds = Math.min(lifetime, SECONDS_GIVEN_MAX);
      const namespace = String(req.params.namespace);
      const name = String(req.params.name);
      const { metadata } = await service.get(SERVICE_ACCOUNTS, joinFullName({ namespace, name }));
      if (metadata.deletionTimestamp !== undefined)
        throw badRequest(`the service account "${name}" is being deleted`);
      const { token, id, sha256 } = newToken();
      const now = service.now().getTime();
      const expirationTimestamp = new Date(now + seconds * 1_000).toISOString();
      const user = accountUser(namespace, name);
      const spec = { user, userUID: metadata.uid, sha256, expirationTimestamp };
      const writer = findUser(res);
      await service.create(
        TOKENS,
        { metadata: { name: id }, spec },
        writer === undefined ? {} : { user: writer },
      );
      const answer = {
        kind: TOKEN_REQUEST.kind,
        apiVersion: getApiVersion(TOKEN_REQUEST),
        metadata: { name, namespace, creationTimestamp: new Date(now).toISOString() },
        spec: { audiences: [], expirationSeconds: seconds },
        status: { token, expirationTimestamp },
      };
      if (lifetime > seconds)
        addWarnings(res, [`requested expiration of ${lifetime} seconds shortened to ${seconds} seconds`]);
      sendValue(res, 201, answer, { 'Cache-Control': 'no-store' });
    },
};

/** @throws ServiceError for another kind, and for what such tokens do not have */
function lifetimeIn(body: unknown): number {
  if (!isRecord(body)) throw badRequest('the body must be a TokenRequest');
  const { kind = TOKEN_REQUEST.kind, apiVersion = getApiVersion(TOKEN_REQUEST) } = body;
  if (kind !== TOKEN_REQUEST.kind || apiVersion !== getApiVersion(TOKEN_REQUEST))
    throw badRequest(`the body must be a ${TOKEN_REQUEST.kind} of ${getApiVersion(TOKEN_REQUEST)}`);
  const spec = specIn(body);
  const causes = faultsIn(spec);
  if (causes.length > 0) throw invalid(TOKEN_REQUEST.kind, causes);
  return Number(spec.expirationSeconds ?? SECONDS_DEFAULT);
}

function faultsIn({ audiences, boundObjectRef, expirationSeconds = SECONDS_DEFAULT }: ReviewSpec): Cause[] {
  const fault = (field: string, message: string): Cause => ({
    field: `spec.${field}`,
    reason: 'FieldValueInvalid',
    message,
  });
  const isLifetime =
    typeof expirationSeconds === 'number' &&
    Number.isInteger(expirationSeconds) &&
    expirationSeconds >= SECONDS_MIN &&
    expirationSeconds <= SECONDS_MAX;
  const hasAudiences = audiences !== undefined && !(Array.isArray(audiences) && audiences.length === 0);
  return [
    ...(isLifetime
      ? []
      : [fault('expirationSeconds', `must be an integer from ${SECONDS_MIN} to ${SECONDS_MAX}`)]),
    ...(hasAudiences ? [fault('audiences', 'must be empty: tokens are for this service alone')] : []),
    ...(boundObjectRef === undefined || boundObjectRef === null
      ? []
      : [fault('boundObjectRef', 'must be absent: tokens end with their account alone')]),
  ];
}
