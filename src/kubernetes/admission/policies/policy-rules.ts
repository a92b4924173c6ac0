import type { Cause } from '../../../errors.js';
import { compileExpression, type Program } from '../../../cel/program.js';
import { BOOL, STRING, type Type } from '../../../cel/types.js';
import { isDnsSubdomain } from '../../../model/names-and-labels.js';
import type { ObjectDraft } from '../../../model/object.js';
import { fault } from '../../crd/rules/fault.js';
import type { KindRules } from '../../kinds/kind-check.js';
import { compileCondition } from '../conditions.js';
import { expressionFaults, oneOf, operationRuleFaults, selectorFaults } from '../rule-faults.js';
import { conditionFaults } from '../webhook-rules.js';
import type {
  AdmissionPolicy,
  MatchResources,
  ParamRef,
  PolicyBinding,
  PolicySpec,
  PolicyValidation,
} from './policy.js';
import { compileVariables, conditionTypes } from './program.js';

type Types = Readonly<Record<string, Type>>;

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

export const VALIDATING_POLICY: KindRules = {
  validate: (object) => specFaults((object as ObjectDraft & Pick<AdmissionPolicy, 'spec'>).spec ?? {}),
};

function specFaults(spec: PolicySpec): readonly Cause[] {
  const { matchConstraints, matchConditions = [], validations = [], auditAnnotations = [] } = spec;
  const at = (field: string): string => `spec.${field}`;
  const variableFaults: Cause[] = [];
  const { types } = compileVariables(spec, (text, known, i) => {
    const path = at(`variables[${i}].expression`);
    let program: Program | undefined;
    variableFaults.push(
      ...(text.trim() === ''
        ? [fault(path, 'Invalid', 'expression is not specified')]
        : expressionFaults(path, () => (program = compileExpression(text, known)))),
    );
    return program;
  });
  return [
    ...oneOf(spec.failurePolicy, ['Fail', 'Ignore'], at('failurePolicy')),
    ...(matchConstraints?.resourceRules === undefined || matchConstraints.resourceRules.length === 0
      ? [fault(at('matchConstraints.resourceRules'), 'Required', 'is required')]
      : matchFaults(matchConstraints, at('matchConstraints'))),
    ...paramKindFaults(spec, at('paramKind')),
    ...conditionFaults(matchConditions, at('matchConditions'), (text) =>
      compileCondition(text, conditionTypes(spec)),
    ),
    ...(spec.variables ?? []).flatMap(({ name = '' }, i) =>
      IDENTIFIER.test(name)
        ? []
        : [fault(at(`variables[${i}].name`), 'Invalid', 'must be a valid CEL identifier')],
    ),
    ...variableFaults,
    ...(validations.length + auditAnnotations.length === 0
      ? [
          fault(
            at('validations'),
            'Required',
            'validations or auditAnnotations must contain at least one item',
          ),
        ]
      : []),
    ...validations.flatMap((one, i) => validationFaults(one, at(`validations[${i}]`), types)),
  ];
}

function paramKindFaults({ paramKind }: PolicySpec, path: string): readonly Cause[] {
  if (paramKind === undefined) return [];
  const { apiVersion = '', kind = '' } = paramKind;
  return Object.entries({ apiVersion, kind }).flatMap(([field, value]) =>
    value === '' ? [fault(`${path}.${field}`, 'Required', 'is required')] : [],
  );
}

function matchFaults(match: MatchResources, path: string): readonly Cause[] {
  const { resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...oneOf(match.matchPolicy, ['Equivalent', 'Exact'], `${path}.matchPolicy`),
    ...selectorFaults(match.namespaceSelector, `${path}.namespaceSelector`),
    ...selectorFaults(match.objectSelector, `${path}.objectSelector`),
    ...Object.entries({ resourceRules, excludeResourceRules }).flatMap(([field, rules]) =>
      rules.flatMap((rule, i) => operationRuleFaults(rule, `${path}.${field}[${i}]`)),
    ),
  ];
}

function validationFaults(
  { expression = '', message, messageExpression = '', reason }: PolicyValidation,
  path: string,
  types: Types,
): readonly Cause[] {
  const isMessage = message === undefined || (message.trim() !== '' && !/[\r\n]/.test(message.trim()));
  return [
    ...(expression.trim() === ''
      ? [fault(`${path}.expression`, 'Required', 'expression is not specified')]
      : expressionFaults(`${path}.expression`, () => compileExpression(expression, types, BOOL))),
    ...(messageExpression === ''
      ? []
      : expressionFaults(`${path}.messageExpression`, () =>
          compileExpression(messageExpression, types, STRING),
        )),
    ...(isMessage ? [] : [fault(`${path}.message`, 'Invalid', 'must be a text without line breaks')]),
    ...oneOf(reason, REASONS, `${path}.reason`),
  ];
}

export const VALIDATING_POLICY_BINDING: KindRules = {
  validate: (object) => {
    const { spec = {} } = object as ObjectDraft & Pick<PolicyBinding, 'spec'>;
    const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
    return [
      ...(isDnsSubdomain(policyName)
        ? []
        : [
            fault(
              'spec.policyName',
              policyName === '' ? 'Required' : 'Invalid',
              'must be the name of a policy',
            ),
          ]),
      ...(paramRef === undefined ? [] : paramRefFaults(paramRef, 'spec.paramRef')),
      ...(matchResources === undefined ? [] : matchFaults(matchResources, 'spec.matchResources')),
      ...actionFaults(validationActions, 'spec.validationActions'),
    ];
  },
};

function paramRefFaults(
  { name = '', selector, parameterNotFoundAction }: ParamRef,
  path: string,
): readonly Cause[] {
  const action = `${path}.parameterNotFoundAction`;
  return [
    ...(name !== '' && selector !== undefined
      ? [fault(`${path}.name`, 'Forbidden', 'name and selector are mutually exclusive')]
      : []),
    ...(name === '' && selector === undefined
      ? [fault(path, 'Required', 'one of name or selector must be specified')]
      : []),
    ...selectorFaults(selector, `${path}.selector`),
    ...(parameterNotFoundAction === undefined
      ? [fault(action, 'Required', 'is required')]
      : oneOf(parameterNotFoundAction, ['Allow', 'Deny'], action)),
  ];
}

function actionFaults(actions: readonly string[], path: string): readonly Cause[] {
  if (actions.length === 0) return [fault(path, 'Required', 'at least one validation action is required')];
  return [
    ...actions.flatMap((one, i) => oneOf(one, ['Audit', 'Deny', 'Warn'], `${path}[${i}]`)),
    ...(actions.includes('Deny') && actions.includes('Warn')
      ? [fault(path, 'Invalid', 'must not contain both Deny and Warn')]
      : []),
  ];
}
