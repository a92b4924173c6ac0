import { CONFIG_MAP } from './config-map.js';
import { EVENT } from './event.js';
import type { KindRules } from './kind-check.js';
import { LEASE } from './lease.js';
import { NAMESPACE } from './namespace.js';
import { SECRET } from './secret.js';

/** The rules of the stored kinds, by kind. A kind without an entry has only its schema. */
export const KIND_RULES: Readonly<Record<string, KindRules>> = {
  ConfigMap: CONFIG_MAP,
  Event: EVENT,
  Lease: LEASE,
  Namespace: NAMESPACE,
  Secret: SECRET,
};
