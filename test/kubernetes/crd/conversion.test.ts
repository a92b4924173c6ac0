import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDefinitionDefaults } from '../../../src/kubernetes/crd/defaults.js';
import { checkDefinition } from '../../../src/kubernetes/crd/rules/accept.js';
import type { JsonObject } from '../../../src/model/object.js';
import { Authority } from '../../helpers/certificates.js';
import { listeners } from '../../helpers/conversion-webhook.js';
import { removeDirectories } from '../../helpers/store.js';
import { checkDefault } from './check-default.js';

let caBundle: string;
beforeAll(() => {
  caBundle = readFileSync(new Authority().caFile).toString('base64');
});
afterAll(removeDirectories);

const URL = 'https://hooks.example.com/convert';
const SERVICE = { namespace: 'shop', name: 'hooks' };
const CLIENT = 'clientConfig';
const VERSIONS = 'conversionReviewVersions';

function definition(webhook: object | undefined, strategy = 'Webhook'): JsonObject {
  const whole = listeners({});
  const conversion = { strategy, ...(webhook && { webhook }) };
  return withDefinitionDefaults({ ...whole, spec: { ...whole.spec, conversion } } as unknown as JsonObject);
}

/** The places of the faults below `spec.conversion.webhook`, with their reasons. */
function faultsOf(given: JsonObject, stored?: JsonObject): string[] {
  return checkDefinition(given, checkDefault, stored).map(
    ({ field, reason }) =>
      `${field.replace('spec.conversion.webhook.', '')} ${reason.replace('FieldValue', '')}`,
  );
}

const established = (webhook: object): JsonObject => ({
  ...definition(webhook),
  status: { storedVersions: ['v2'], conditions: [{ type: 'Established', status: 'True' }] },
});

const withClient = (clientConfig: object) => ({ clientConfig, [VERSIONS]: ['v1'] });

describe('the conversion of a definition', () => {
  it.each<[string, object | undefined, string[]]>([
    ['has a URL', withClient({ url: URL }), []],
    ['has a service', withClient({ service: SERVICE }), []],
    ['has no webhook', undefined, [`${CLIENT} Required`, `${VERSIONS} Required`]],
    ['has no client', { [VERSIONS]: ['v1'] }, [`${CLIENT} Required`]],
    ['has an empty client', withClient({}), [`${CLIENT} Required`]],
    ['has a URL and a service', withClient({ url: URL, service: SERVICE }), [`${CLIENT} Required`]],
    ['has a URL of HTTP', withClient({ url: 'http://example.com' }), [`${CLIENT}.url Invalid`]],
    ['has no URL', withClient({ url: 'convert' }), [`${CLIENT}.url Invalid`]],
    ['has a user', withClient({ url: 'https://me@example.com' }), [`${CLIENT}.url Invalid`]],
    ['has a query', withClient({ url: `${URL}?x=1` }), [`${CLIENT}.url Invalid`]],
    ['has a fragment', withClient({ url: `${URL}#x` }), [`${CLIENT}.url Invalid`]],
    [
      'has a service without names',
      withClient({ service: {} }),
      [`${CLIENT}.service.name Required`, `${CLIENT}.service.namespace Required`],
    ],
    ['has no port', withClient({ service: { ...SERVICE, port: 0 } }), [`${CLIENT}.service.port Invalid`]],
    ['has a path', withClient({ service: { ...SERVICE, path: '/a/b.c/' } }), []],
    [
      'has a relative path',
      withClient({ service: { ...SERVICE, path: 'a' } }),
      [`${CLIENT}.service.path Invalid`],
    ],
    [
      'has an empty part in its path',
      withClient({ service: { ...SERVICE, path: '/a//b' } }),
      [`${CLIENT}.service.path Invalid`],
    ],
    ['has no versions', { clientConfig: { url: URL } }, [`${VERSIONS} Required`]],
    [
      'has unknown versions only',
      { clientConfig: { url: URL }, [VERSIONS]: ['v2'] },
      [`${VERSIONS} Invalid`],
    ],
    ['has an older version', { clientConfig: { url: URL }, [VERSIONS]: ['v1beta1'] }, []],
    [
      'has a version twice',
      { clientConfig: { url: URL }, [VERSIONS]: ['v1', 'v1'] },
      [`${VERSIONS}[1] Invalid`],
    ],
    [
      'has a version of no form',
      { clientConfig: { url: URL }, [VERSIONS]: ['v1', '1'] },
      [`${VERSIONS}[1] Invalid`],
    ],
    ['has a blank bundle at first', withClient({ url: URL, caBundle: 'Cg==' }), []],
  ])('%s', (_name, webhook, faults) => {
    expect(faultsOf(definition(webhook))).toEqual(faults);
  });

  it('has no webhook without the strategy', () => {
    const webhook = { clientConfig: { url: URL }, [VERSIONS]: ['v1'] };
    expect(faultsOf(definition(webhook, 'None'))).toEqual([`${CLIENT} Forbidden`, `${VERSIONS} Forbidden`]);
  });

  it('keeps a good bundle', () => {
    const bad = { url: URL, caBundle: Buffer.from('no certificate').toString('base64') };
    const good = { url: URL, caBundle };
    const change = (from: object, to: object) =>
      faultsOf(definition(withClient(to)), established(withClient(from)));
    expect(change(good, bad)).toEqual([`${CLIENT}.caBundle Invalid`]);
    expect(change({ url: URL }, bad)).toEqual([`${CLIENT}.caBundle Invalid`]);
    expect(change(bad, bad)).toEqual([]);
    expect(change(bad, good)).toEqual([]);
    expect(change(good, { url: URL })).toEqual([]);
  });

  it('is reached at port 443 of a service unless it says otherwise', () => {
    const { spec } = definition(withClient({ service: SERVICE })) as { spec: JsonObject };
    expect(spec.conversion).toMatchObject({ webhook: { clientConfig: { service: { port: 443 } } } });
  });
});
