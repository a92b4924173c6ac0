import { ExpressionFault } from '../../cel/text/fault.js';
import type { Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { fault } from '../crd/rules/fault.js';
import type { OperationRule } from './configuration.js';

/** The fault of a value that is none of the known ones. */
export function oneOf(value: string | undefined, known: readonly string[], path: string): readonly Cause[] {
  if (value === undefined || known.includes(value)) return [];
  const list = known.map((one) => `"${one}"`).join(', ');
  return [fault(path, 'NotSupported', `Unsupported value: "${value}": supported values: ${list}`)];
}

/** The fault of an expression that cannot be compiled. */
export function expressionFaults(path: string, compile: () => unknown): readonly Cause[] {
  try {
    compile();
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return [fault(path, 'Invalid', `compilation failed: ${error.message}`)];
  }
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const LISTS = [
  ['operations', 'operations'],
  ['apiGroups', 'API groups'],
  ['apiVersions', 'API versions'],
  ['resources', 'resources'],
] as const;

/** Faults of a rule about writes. */
export function operationRuleFaults(rule: OperationRule, path: string): readonly Cause[] {
  const { operations = [], resources = [], scope } = rule;
  return [
    ...LISTS.flatMap(([field, words]) => listFaults(rule[field] ?? [], `${path}.${field}`, words)),
    ...operations.flatMap((one, i) => oneOf(one, OPERATIONS, `${path}.operations[${i}]`)),
    ...resourceFaults(resources, `${path}.resources`),
    ...oneOf(scope, ['*', 'Cluster', 'Namespaced'], `${path}.scope`),
  ];
}

function listFaults(values: readonly string[], path: string, words: string): readonly Cause[] {
  if (values.length === 0) return [fault(path, 'Required', 'is required')];
  const isMixed = words !== 'resources' && values.length > 1 && values.includes('*');
  return [
    ...(isMixed ? [fault(path, 'Invalid', `if '*' is present, must not specify other ${words}`)] : []),
    // The core group is empty.
    ...values.flatMap((one, i) =>
      one === '' && words !== 'API groups' ? [fault(`${path}[${i}]`, 'Required', 'is required')] : [],
    ),
  ];
}

function resourceFaults(resources: readonly string[], path: string): readonly Cause[] {
  const repeated = resources.flatMap((one, i) => {
    const [resource = '', sub] = one.split('/', 2);
    if (sub === undefined) return [];
    return [`${resource}/*`, `*/${sub}`]
      .filter((other) => resources.indexOf(other) >= 0 && resources.indexOf(other) < i)
      .map((other) => fault(`${path}[${i}]`, 'Invalid', `if '${other}' is present, must not specify ${one}`));
  });
  const isAll = resources.length > 1 && resources.includes('*/*');
  const hasPlain = resources.some((one) => one !== '*' && !one.includes('/'));
  const isEach = resources.includes('*') && hasPlain;
  return [
    ...repeated,
    ...(isAll ? [fault(path, 'Invalid', "if '*/*' is present, must not specify other resources")] : []),
    ...(isEach
      ? [fault(path, 'Invalid', "if '*' is present, must not specify other resources without subresources")]
      : []),
  ];
}

const OPERATORS = ['DoesNotExist', 'Exists', 'In', 'NotIn'];

export function selectorFaults(selector: unknown, path: string): readonly Cause[] {
  if (!isRecord(selector)) return [];
  const { matchExpressions: given } = selector;
  const expressions: readonly unknown[] = Array.isArray(given) ? given : [];
  return expressions.filter(isRecord).flatMap(({ key = '', operator = '', values }, i) => {
    const at = `${path}.matchExpressions[${i}]`;
    const count = Array.isArray(values) ? values.length : 0;
    const hasValues = operator === 'In' || operator === 'NotIn';
    return [
      ...(key === '' ? [fault(`${at}.key`, 'Required', 'is required')] : []),
      ...oneOf(String(operator), OPERATORS, `${at}.operator`),
      ...(hasValues && count === 0
        ? [fault(`${at}.values`, 'Required', "must be specified when `operator` is 'In' or 'NotIn'")]
        : []),
      ...(!hasValues && count > 0
        ? [
            fault(
              `${at}.values`,
              'Forbidden',
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ]
        : []),
    ];
  });
}
