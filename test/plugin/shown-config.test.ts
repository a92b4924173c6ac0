import { describe, expect, it } from 'vitest';
import { showConfig } from '../../src/plugin/config/shown-config.js';

const text = { type: 'string' };
const password = { type: 'string', format: 'password' };

describe('a shown configuration', () => {
  it('has declared values, and no secrets in any place', () => {
    const schema = {
      type: 'object',
      required: ['url', 'key'],
      properties: {
        url: text,
        key: { ...text, writeOnly: true },
        pin: { ...text, 'x-xsvc-console': { widget: 'password' } },
        db: { $ref: '#/$defs/Db' },
        servers: { type: 'array', items: { $ref: '#/$defs/Db' } },
        words: { type: 'array', items: password },
        byName: { type: 'object', additionalProperties: { $ref: '#/$defs/Db' } },
        either: { oneOf: [text, password] },
        plain: { type: 'array', items: text },
      },
      $defs: { Db: { type: 'object', properties: { host: text, password } } },
    };
    const db = { host: 'h', password: 'SECRET', unknown: 'SECRET' };
    const value = {
      url: 'u',
      key: 'SECRET',
      db,
      servers: [db, { host: 'i' }],
      words: ['SECRET'],
      byName: { a: db },
      either: 'SECRET',
      plain: ['a'],
      unknown: 'SECRET',
    };
    const shown = showConfig(schema, value);
    expect(JSON.stringify(shown)).not.toContain('SECRET');
    expect(shown.value).toEqual({
      url: 'u',
      db: { host: 'h' },
      servers: [{ host: 'h' }, { host: 'i' }],
      byName: { a: { host: 'h' } },
      plain: ['a'],
    });
    expect(shown.secrets).toEqual([
      { path: 'key', isSet: true },
      { path: 'pin', isSet: false },
      { path: 'db.password', isSet: true },
      { path: 'servers[].password', isSet: false },
      { path: 'words[]', isSet: false },
      { path: 'byName.*.password', isSet: false },
    ]);
    expect(shown.schema).toMatchObject({
      required: ['url'],
      properties: { db: { properties: { host: text } } },
    });
    expect(JSON.stringify(shown.schema)).not.toContain('$ref');
  });

  it('ends for a schema that contains itself', () => {
    const schema = {
      type: 'object',
      properties: { child: { $ref: '#/$defs/Node' } },
      $defs: { Node: { type: 'object', properties: { name: text, child: { $ref: '#/$defs/Node' } } } },
    };
    expect(showConfig(schema, { child: { name: 'a', child: { name: 'b' } } }).value).toEqual({
      child: { name: 'a', child: { name: 'b' } },
    });
  });

  it('treats hostile names as members', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    ) as never;
    const { value } = showConfig(schema, JSON.parse('{"__proto__":"x"}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":"x"}');
    expect(showConfig({ type: 'object', properties: { a: text } }, 'no object').value).toEqual({});
  });
});
