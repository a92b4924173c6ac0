import type { Cause } from '../../errors.js';
import { getOwn, setOwn } from '../../lib/json/json.js';
import type { ObjectDraft } from '../../model/object.js';
import {
  base64Bytes,
  prepareBase64,
  dataKeyFaults,
  IMMUTABLE,
  immutableFaults,
  readTexts,
  sizeFaults,
  valuesOf,
} from './data.js';
import type { KindRules } from './kind-check.js';

/** The rules of Secrets. Their messages name keys, and never show values. */
export const SECRET: KindRules = {
  secretFields: ['data'],
  prepare: (object) => {
    prepareBase64(object, 'data');
    mergeTexts(object);
    if (object.type === undefined || object.type === '') object.type = 'Opaque';
  },
  validate: (object, stored) => [
    ...immutableFaults(object, stored, ['data']),
    ...typeFaults(object, stored),
    ...dataKeyFaults(object, 'data'),
    ...sizeFaults(base64Bytes(object, 'data')),
    ...contentFaults(object),
  ],
};

/** Moves texts to the data, where they replace values of the same key. */
function mergeTexts(object: ObjectDraft): void {
  const texts = readTexts(object, 'stringData');
  delete object.stringData;
  if (texts.length === 0) return;
  const all = { ...valuesOf(object, 'data') };
  for (const [key, text] of texts) setOwn(all, key, Buffer.from(text).toString('base64'));
  object.data = all;
}

function typeFaults({ type }: ObjectDraft, stored: ObjectDraft | undefined): readonly Cause[] {
  if (stored === undefined || stored.type === type) return [];
  return [{ field: 'type', reason: 'FieldValueInvalid', message: IMMUTABLE }];
}

interface Content {
  readonly keys: readonly string[];
  /** `all` of the keys by default. */
  readonly needs?: 'one' | 'filled';
  readonly isJson?: true;
}

const CONTENTS: ReadonlyMap<unknown, Content> = new Map<string, Content>([
  ['kubernetes.io/tls', { keys: ['tls.crt', 'tls.key'] }],
  ['kubernetes.io/dockerconfigjson', { keys: ['.dockerconfigjson'], isJson: true }],
  ['kubernetes.io/dockercfg', { keys: ['.dockercfg'], isJson: true }],
  ['kubernetes.io/basic-auth', { keys: ['username', 'password'], needs: 'one' }],
  ['kubernetes.io/ssh-auth', { keys: ['ssh-privatekey'], needs: 'filled' }],
]);
const TOKEN = 'kubernetes.io/service-account-token';
const ACCOUNT = 'kubernetes.io/service-account.name';

function contentFaults(object: ObjectDraft): readonly Cause[] {
  if (object.type === TOKEN) {
    const account = object.metadata?.annotations?.[ACCOUNT] ?? '';
    return account === '' ? [missing(`metadata.annotations[${ACCOUNT}]`)] : [];
  }
  const content = CONTENTS.get(object.type);
  if (content === undefined) return [];
  const { keys, needs, isJson } = content;
  const data = valuesOf(object, 'data');
  const absent = keys.filter((key) =>
    needs === 'filled' ? (getOwn(data, key) ?? '') === '' : !Object.hasOwn(data, key),
  );
  if (needs === 'one' && absent.length < keys.length) return [];
  const broken = isJson ? keys.filter((key) => Object.hasOwn(data, key) && !hasJson(data[key])) : [];
  return [
    ...absent.map((key) => missing(`data[${key}]`)),
    ...broken.map((key) => ({
      field: `data[${key}]`,
      reason: 'FieldValueInvalid' as const,
      message: 'must be JSON',
    })),
  ];
}

function missing(field: string): Cause {
  return { field, reason: 'FieldValueRequired', message: 'must be set in a secret of this type' };
}

function hasJson(base64: unknown): boolean {
  try {
    JSON.parse(Buffer.from(String(base64), 'base64').toString());
    return true;
  } catch {
    return false;
  }
}
