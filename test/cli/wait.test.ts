import { describe, expect, it } from 'vitest';
import { parseFor } from '../../src/cli/wait/condition.js';
import type { ExtensionObject } from '../../src/model/object.js';

function object(status: unknown, generation = 2): ExtensionObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: {
      name: 'a',
      uid: 'u',
      generation,
      version: 0,
      resourceVersion: '1',
      creationTimestamp: '',
      updateTimestamp: '',
    },
    spec: { 'a.b': 'dotted', list: [{ type: 'x=y', value: 'in' }], size: 3, on: true, map: { a: 1 } },
    status,
  };
}

function isMet(awaited: string, status: unknown = {}): boolean {
  const read = parseFor(awaited);
  if (read.kind !== 'state') throw new Error(`${awaited} is about no state`);
  return read.isMet(object(status));
}

describe('--for', () => {
  it.each([
    ['condition=Ready', { conditions: [{ type: 'Ready', status: 'True' }] }, true],
    ['condition=READY=true', { conditions: [{ type: 'Ready', status: 'True' }] }, true],
    ['condition=Ready=False', { conditions: [{ type: 'Ready', status: 'True' }] }, false],
    ['condition=Ready=Unknown', { conditions: [{ type: 'Ready', status: 'unknown' }] }, true],
    ['condition=Ready', { conditions: [{ type: 'Other', status: 'True' }] }, false],
    ['condition=Ready', { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] }, false],
    ['condition=Ready', { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 2 }] }, true],
    ['condition=Ready', { conditions: 'none' }, false],
    ['condition=Ready', { conditions: [null, 7] }, false],
    ['condition=Ready', undefined, false],
  ])('%s, status %j: %s', (awaited, status, expected) => {
    expect(isMet(awaited, status)).toBe(expected);
  });

  it.each([
    ['jsonpath={.status.phase}=Ready', true],
    ['jsonpath=.status.phase=Ready', true],
    ['jsonpath={.status.phase}=Done', false],
    ['jsonpath={.status.phase}', true],
    ['jsonpath={.status.none}', false],
    ['jsonpath={.spec.size}=3', true],
    ['jsonpath={.spec.on}=true', true],
    ['jsonpath={.spec.map}={"a":1}', true],
    ['jsonpath={.spec.a\\.b}=dotted', true],
    ['jsonpath={.spec.list[?(@.type=="x=y")].value}=in', true],
    ['jsonpath=.spec.list[?(@.type=="x=y")].value=in', true],
    ['jsonpath={.status.phase}=a=b', false],
  ])('%s: %s', (awaited, expected) => {
    expect(isMet(awaited, { phase: 'Ready' })).toBe(expected);
  });

  it.each(['delete', 'create', 'Delete'])('%s is about the object itself', (awaited) => {
    expect(parseFor(awaited)).toEqual({ kind: awaited.toLowerCase() });
  });

  it.each([
    '',
    'ready',
    'condition',
    'condition=',
    'condition==True',
    'condition=a=b=c',
    'jsonpath=',
    'jsonpath==x',
    'jsonpath={.a[}',
    'jsonpath={.a}b',
    'jsonpath={.a}=',
  ])('%j is a usage error that says what can be awaited', (awaited) => {
    expect(() => parseFor(awaited)).toThrow(/use delete, create, condition=/);
  });
});
