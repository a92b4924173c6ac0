import { describe, expect, it } from 'vitest';
import * as naming from '../../src/model/names-and-labels.js';

const { checkNames, checkPluginKeys, generateNameFaults, keyFaults, labelValueFaults, nameFaults } = naming;

const prefixOf = (length: number): string => 'a.'.repeat(200).slice(0, length - 1) + 'z';

describe('metadata.name', () => {
  it.each(['a', '0', 'a-b', 'a--b', '9z', 'a'.repeat(253)])('may be %s', (name) => {
    expect(nameFaults(name)).toEqual([]);
  });

  it.each(['', '-a', 'a-', 'A', 'a.b', 'a_b', 'a b', 'ä', 'a\n', 'a'.repeat(254)])(
    'may not be %j',
    (name) => {
      expect(nameFaults(name)).not.toEqual([]);
    },
  );

  it('is refused when it is too long, with the limit in the message', () => {
    expect(nameFaults('a'.repeat(254))).toEqual([
      { reason: 'FieldValueTooLong', message: 'must have at most 253 characters, got 254' },
    ]);
  });
});

describe('metadata.generateName', () => {
  it('may end with a hyphen', () => {
    expect(generateNameFaults('job-')).toEqual([]);
  });

  it('leaves room for the random end', () => {
    expect(generateNameFaults('a'.repeat(248))).toEqual([]);
    expect(generateNameFaults('a'.repeat(249))).not.toEqual([]);
  });

  it.each(['-a', 'A', 'a.'])('may not be %s', (prefix) => {
    expect(generateNameFaults(prefix)).not.toEqual([]);
  });
});

describe('a label or annotation key', () => {
  it.each([
    'app',
    'App_x.y-z',
    'example.com/App',
    'a/b',
    'x'.repeat(63),
    `${prefixOf(253)}/${'x'.repeat(63)}`,
  ])('may be %s', (key) => {
    expect(keyFaults(key)).toEqual([]);
  });

  it.each([
    '',
    '/a',
    'a/',
    'a/b/c',
    'A/b',
    'a..b/c',
    '-a/b',
    'a_b/c',
    '-a',
    'a-',
    '.a',
    'a b',
    '__proto__',
    'x'.repeat(64),
    `a/${'x'.repeat(64)}`,
    `${prefixOf(254)}/x`,
  ])('may not be %j', (key) => {
    expect(keyFaults(key)).not.toEqual([]);
  });
});

describe('a label value', () => {
  it.each(['', 'a', 'A.b_c-1', 'x'.repeat(63)])('may be %j', (value) => {
    expect(labelValueFaults(value)).toEqual([]);
  });

  it.each(['-', 'a-', '_a', 'a b', 'x'.repeat(64)])('may not be %j', (value) => {
    expect(labelValueFaults(value)).not.toEqual([]);
  });
});

describe('the parts of a GVK', () => {
  it('allow a group that is empty or a DNS subdomain of at most 253 characters', () => {
    for (const group of ['', 'example.com', 'a', prefixOf(253)]) expect(naming.isGroup(group)).toBe(true);
    for (const group of ['.', 'A.com', 'a_b', 'a.', '-a', prefixOf(254)])
      expect(naming.isGroup(group)).toBe(false);
  });

  it('allow DNS labels of at most 63 characters', () => {
    for (const label of ['v1', 'v1alpha1', 'a-b', 'a'.repeat(63)])
      expect(naming.isDnsLabel(label)).toBe(true);
    for (const label of ['', 'V1', 'a.b', 'a-', 'a'.repeat(64)]) expect(naming.isDnsLabel(label)).toBe(false);
  });

  it('allow PascalCase kinds of at most 63 characters', () => {
    for (const kind of ['A', 'Person', 'P2p', 'A'.repeat(63)]) expect(naming.isKind(kind)).toBe(true);
    for (const kind of ['', 'person', 'A-b', 'Ä', 'A'.repeat(64)]) expect(naming.isKind(kind)).toBe(false);
  });
});

describe('reserved names', () => {
  it('are the empty group and the groups of the platform', () => {
    for (const group of ['', 'platform.run', 'a.platform.run'])
      expect(naming.isReservedGroup(group)).toBe(true);
    for (const group of ['example.com', 'xplatform.run', 'platform.run.com']) {
      expect(naming.isReservedGroup(group)).toBe(false);
    }
  });

  it('are keys without a prefix and with one of the platform', () => {
    for (const key of ['app', 'platform.run/a', 'x.platform.run/a'])
      expect(naming.isReservedKey(key)).toBe(true);
    for (const key of ['example.com/app', 'myplatform.run/a']) expect(naming.isReservedKey(key)).toBe(false);
  });

  it('is named for each label and annotation of a plugin', () => {
    const causes = checkPluginKeys({
      labels: { app: 'x', 'example.com/a': 'y' },
      annotations: { 'platform.run/b': 'z' },
    });
    expect(causes.map(({ field, reason }) => [field, reason])).toEqual([
      ['metadata.labels.app', 'FieldValueForbidden'],
      ['metadata.annotations.platform.run/b', 'FieldValueForbidden'],
    ]);
    expect(checkPluginKeys(undefined)).toEqual([]);
  });

  it('are not the annotations with which objects expire, which plugins may set', () => {
    const keys = { 'xsvc.platform.run/ttl': '1h', 'xsvc.platform.run/expires-at': '2026-01-31T08:00:00Z' };
    expect(checkPluginKeys({ annotations: keys })).toEqual([]);
    expect(checkPluginKeys({ labels: keys }).map(({ field }) => field)).toEqual([
      'metadata.labels.xsvc.platform.run/ttl',
      'metadata.labels.xsvc.platform.run/expires-at',
    ]);
  });
});

describe('checkNames', () => {
  const fields = (metadata: object): string[] => checkNames({ metadata }).map(({ field }) => field);

  it('accepts a name, and a prefix instead', () => {
    expect(fields({ name: 'a' })).toEqual([]);
    expect(fields({ generateName: 'a-' })).toEqual([]);
    expect(fields({ name: '', generateName: 'a-' })).toEqual([]);
  });

  it('requires one of them', () => {
    const required = [{ field: 'metadata.name', reason: 'FieldValueRequired', message: 'is required' }];
    expect(checkNames({})).toEqual(required);
    expect(checkNames({ metadata: {} })).toEqual(required);
    expect(checkNames({ metadata: { name: '', generateName: '' } })).toEqual(required);
  });

  it('finds every fault of labels and annotations, also under hostile keys', () => {
    const labels: unknown = JSON.parse('{"__proto__": "x", "ok": "-", "constructor": "y"}');
    expect(fields({ name: 'a', labels, annotations: { 'a/b/c': '', ok: '-' } })).toEqual([
      'metadata.labels.__proto__',
      'metadata.labels.ok',
      'metadata.annotations.a/b/c',
    ]);
  });

  it('allows capitals in the prefix of an annotation by the rules of Kubernetes alone, and in no label', () => {
    const metadata = { name: 'a', annotations: { 'Example.com/A': '' }, labels: { 'Example.com/A': '' } };
    expect(fields(metadata)).toEqual(['metadata.labels.Example.com/A', 'metadata.annotations.Example.com/A']);
    const ofKubernetes = checkNames({ metadata }, 'subdomain').map(({ field }) => field);
    expect(ofKubernetes).toEqual(['metadata.labels.Example.com/A']);
  });

  it('allows annotations of 256 KiB in all, keys counted, and no byte more', () => {
    const value = 'ä'.repeat((256 * 1024 - 2) / 2);
    expect(fields({ name: 'a', annotations: { ab: value } })).toEqual([]);
    expect(checkNames({ metadata: { name: 'a', annotations: { abc: value } } })).toEqual([
      {
        field: 'metadata.annotations',
        reason: 'FieldValueTooLong',
        message: 'must have at most 262144 bytes in all, got 262145',
      },
    ]);
  });
});
