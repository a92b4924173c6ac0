import { Chalk } from 'chalk';
import { describe, expect, it } from 'vitest';
import { colorDiff, unifiedDiff } from '../../src/cli/output/unified-diff.js';
import type { Colors } from '../../src/cli/output/colors.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { LAST_APPLIED } from '../../src/model/applied-manifests.js';

function thing(spec: object, metadata: object = {}): ExtensionObject {
  const set = {
    uid: 'u',
    generation: 1,
    version: 0,
    resourceVersion: '7',
    creationTimestamp: '',
    updateTimestamp: '',
  };
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a', ...set, ...metadata }, spec };
}

function diff(before: ExtensionObject | undefined, after: ExtensionObject | undefined): string {
  return unifiedDiff({ title: 'before', object: before }, { title: 'after', object: after });
}

describe('the difference of two states', () => {
  it('is empty when only fields of the service and of apply differ', () => {
    const noise = { version: 4, generation: 3, resourceVersion: '9', annotations: { [LAST_APPLIED]: '{}' } };
    expect(diff(thing({ a: 1 }), thing({ a: 1 }, noise))).toBe('');
  });

  it('has three lines around a difference, and other annotations', () => {
    const many = { a: 1, b: 2, c: 3, d: 4, e: 5 };
    expect(diff(thing(many), thing({ ...many, e: 6 }, { annotations: { note: 'two' } }))).toBe(`--- before
+++ after
@@ -2,9 +2,11 @@
 kind: Thing
 metadata:
   name: a
+  annotations:
+    note: two
 spec:
   a: 1
   b: 2
   c: 3
   d: 4
-  e: 5
+  e: 6
`);
  });

  it('is all of an object that comes or goes', () => {
    expect(diff(undefined, thing({}))).toMatch(
      /^--- \/dev\/null\n\+\+\+ after\n@@ -0,0 \+1,5 @@\n(\+.*\n)+$/,
    );
    expect(diff(thing({}), undefined)).toMatch(
      /^--- before\n\+\+\+ \/dev\/null\n@@ -1,5 \+0,0 @@\n(-.*\n)+$/,
    );
  });

  it('has colours by the meaning of lines', () => {
    const chalk = new Chalk({ level: 1 });
    const colors: Colors = {
      good: chalk.green,
      attention: chalk.yellow,
      bad: chalk.red,
      strong: chalk.bold,
      faint: chalk.dim,
    };
    const text = colorDiff(diff(thing({ a: 1 }), thing({ a: 2 })), colors);
    expect(text).toContain(`${chalk.red('-  a: 1')}\n${chalk.green('+  a: 2')}\n`);
    expect(text).toContain(chalk.bold('+++ after'));
  });
});
