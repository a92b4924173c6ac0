import { isRecord } from '../../lib/json/json.js';
import type { KindRules } from './kind-check.js';

/** The namespace of events about objects without one. */
const DEFAULT_NAMESPACE = 'default';

export const EVENT: KindRules = {
  validate: ({ involvedObject, metadata }) => {
    const about = isRecord(involvedObject) ? (involvedObject.namespace ?? '') : '';
    const namespace = about === '' ? DEFAULT_NAMESPACE : about;
    if (metadata?.namespace === namespace) return [];
    const message = `must be the namespace of the event; without one it is "${DEFAULT_NAMESPACE}"`;
    return [{ field: 'involvedObject.namespace', reason: 'FieldValueInvalid', message }];
  },
};
