import type { Metadata } from '../../../model/object.js';
import type { MatchSettings, OperationRule } from '../configuration.js';
import type { MatchCondition } from '../conditions.js';

/** The writes that a policy or a binding is about; without rules, all. */
export interface MatchResources extends MatchSettings {
  readonly resourceRules?: readonly OperationRule[];
  readonly excludeResourceRules?: readonly OperationRule[];
}

/** An expression that a later one can name. */
export interface PolicyVariable {
  readonly name?: string;
  readonly expression?: string;
}

/** What must hold for a write. */
export interface PolicyValidation {
  readonly expression?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

export interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly PolicyVariable[];
  readonly validations?: readonly PolicyValidation[];
  readonly auditAnnotations?: readonly object[];
}

/** A stored ValidatingAdmissionPolicy. */
export interface AdmissionPolicy {
  readonly metadata: Metadata;
  readonly spec?: PolicySpec;
}

/** The objects that a policy compares writes with. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: object;
  readonly parameterNotFoundAction?: string;
}

export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}

/** A stored ValidatingAdmissionPolicyBinding. */
export interface PolicyBinding {
  readonly metadata: Metadata;
  readonly spec?: BindingSpec;
}
