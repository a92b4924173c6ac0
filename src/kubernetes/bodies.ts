import { getApiVersion } from '../model/resource.js';
import { ADMISSION_KINDS } from './admission/kinds.js';
import { CORE_KINDS } from './core-kinds.js';
import { INERT_KINDS } from './inert/kinds.js';
import { RBAC_KINDS } from './inert/rbac-kinds.js';
import type { CoreKind } from './kind.js';

const META = 'apimachinery.pkg.apis.meta.v1';

/** Clients send it in the version of the objects that they delete. */
const DELETE_OPTIONS = `${META}.DeleteOptions`;

/** The messages of bodies by `<apiVersion>/<kind>`. */
function messagesOf(kinds: readonly CoreKind[]): readonly (readonly [string, string])[] {
  return kinds.flatMap(({ views = [], versions = [], ...one }) =>
    [one, ...views, ...versions.map((version) => ({ ...version, group: one.group }))].map(
      (body) => [`${getApiVersion(body)}/${one.kind}`, body.message] as const,
    ),
  );
}

/** The messages of all bodies that clients send in protobuf, by `<apiVersion>/<kind>`. */
const BODIES: ReadonlyMap<string, string> = new Map([
  ...messagesOf([...CORE_KINDS, ...RBAC_KINDS]),
  ['authentication.k8s.io/v1/TokenRequest', 'api.authentication.v1.TokenRequest'],
  ['autoscaling/v1/Scale', 'api.autoscaling.v1.Scale'],
]);

const INERT_BODIES: ReadonlyMap<string, string> = new Map(messagesOf([...INERT_KINDS, ...ADMISSION_KINDS]));

/** The messages whose fields the data of Kubernetes has, and with them those of their fields. */
export const BODY_MESSAGES: readonly string[] = [...BODIES.values(), DELETE_OPTIONS];

/** The messages in the compressed data. */
export const INERT_BODY_MESSAGES: readonly string[] = [...INERT_BODIES.values()];

/** The message of a body; undefined for a kind that is not read in protobuf. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  if (kind === 'DeleteOptions') return DELETE_OPTIONS;
  const key = `${apiVersion}/${kind}`;
  return BODIES.get(key) ?? INERT_BODIES.get(key);
}
