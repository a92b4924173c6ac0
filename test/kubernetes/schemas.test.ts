import { describe, expect, it } from 'vitest';
import { BODY_MESSAGES, INERT_BODY_MESSAGES, messageOf } from '../../src/kubernetes/bodies.js';
import { CORE_KINDS } from '../../src/kubernetes/core-kinds.js';
import { FULL_KINDS } from '../../src/kubernetes/inert/kinds.js';
import { messageType } from '../../src/kubernetes/message-types.js';
import { schemaOfMessage } from '../../src/kubernetes/schema.js';
import { MESSAGES } from '../../src/kubernetes/data/messages.js';

const text = { type: 'string' };

describe('the core kinds', () => {
  it('have messages in the data, and the data has no other roots', () => {
    for (const message of [...BODY_MESSAGES, ...INERT_BODY_MESSAGES])
      expect(messageType(message).name).toBe(message);
    expect(MESSAGES.length).toBeLessThan(10_000);
    expect(() => messageType('api.core.v1.Nothing')).toThrow('npm run kubernetes-data');
  });

  it('have different plurals in each group', () => {
    const plurals = [...CORE_KINDS, ...FULL_KINDS].flatMap(({ group, plural, views = [] }) =>
      [group, ...views.map((view) => view.group)].map((one) => `${plural}.${one}`),
    );
    expect(new Set(plurals).size).toBe(plurals.length);
  });

  it('have messages by the version and the kind of a body', () => {
    expect(messageOf('v1', 'Event')).toBe('api.core.v1.Event');
    expect(messageOf('events.k8s.io/v1', 'Event')).toBe('api.events.v1.Event');
    expect(messageOf('anything/v7', 'DeleteOptions')).toBe('apimachinery.pkg.apis.meta.v1.DeleteOptions');
    expect(messageOf('v1', 'Lease')).toBeUndefined();
  });
});

describe('the schema of a message', () => {
  it.each([...CORE_KINDS, ...FULL_KINDS])('has a type at each place: $group $kind', ({ message }) => {
    const untyped: string[] = [];
    const visit = (schema: Record<string, unknown>, path: string): void => {
      if (schema.type === undefined && schema['x-kubernetes-int-or-string'] === undefined) untyped.push(path);
      const {
        properties = {},
        items,
        additionalProperties,
      } = schema as Record<string, Record<string, unknown>>;
      for (const [name, one] of Object.entries(properties))
        visit(one as Record<string, unknown>, `${path}.${name}`);
      for (const one of [items, additionalProperties]) if (one !== undefined) visit(one, `${path}[]`);
    };
    visit(schemaOfMessage(message), '');
    expect(untyped).toEqual([]);
  });

  it('has scalars, maps, times and open parts', () => {
    expect(schemaOfMessage('api.core.v1.Secret')).toMatchObject({
      type: 'object',
      properties: {
        metadata: {
          properties: {
            creationTimestamp: { type: 'string', format: 'date-time' },
            generation: { type: 'integer', format: 'int64' },
            labels: { type: 'object', additionalProperties: text },
            managedFields: {
              items: {
                properties: { fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
              },
            },
          },
        },
        data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
        immutable: { type: 'boolean' },
      },
    });
  });

  it('has the keys of lists, of maps and of patches, and required members', () => {
    const { properties } = schemaOfMessage('apimachinery.pkg.apis.meta.v1.ObjectMeta');
    expect(properties).toMatchObject({
      ownerReferences: {
        type: 'array',
        items: { required: ['kind', 'name', 'uid', 'apiVersion'], 'x-kubernetes-map-type': 'atomic' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['uid'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'uid',
      },
      finalizers: {
        type: 'array',
        items: text,
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-patch-strategy': 'merge',
      },
    });
  });

  it('is open where a message contains itself', () => {
    const crd = JSON.stringify(
      schemaOfMessage('apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation'),
    );
    expect(JSON.parse(crd)).toEqual({
      type: 'object',
      properties: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
  });
});
