import { getMessage, ServiceError, type ErrorCode } from '../../../errors.js';
import { TooExpensive } from '../../../lib/work/allowance.js';
import { qualifiedPlural } from '../../../model/resource.js';
import type { Service } from '../../../service/service.js';
import { isOfNamespaces, type Attributes } from '../attributes.js';
import { findRuled, isSelected, type RuleResource, type RuleTarget } from '../matching.js';
import { findParams } from './params.js';
import type { AdmissionPolicy, MatchResources, PolicyBinding } from './policy.js';
import { PolicyProgram, type PolicyFailure } from './program.js';

interface BoundPolicy {
  readonly policy: AdmissionPolicy;
  readonly bindings: readonly PolicyBinding[];
  /** Compiled at the first use. */
  program: PolicyProgram | undefined;
}

const CODES: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['Unauthorized', 'Unauthorized'],
  ['Forbidden', 'Forbidden'],
  ['RequestEntityTooLarge', 'RequestEntityTooLarge'],
]);

/** Validates writes by policies. A policy without a binding decides nothing. */
export class Policies {
  #bound: readonly BoundPolicy[] = [];

  constructor(private readonly service: Service) {}

  replace(policies: readonly AdmissionPolicy[], bindings: readonly PolicyBinding[]): void {
    this.#bound = policies.flatMap((policy) => {
      const own = bindings.filter(({ spec }) => spec?.policyName === policy.metadata.name);
      return own.length === 0 ? [] : [{ policy, bindings: own, program: undefined }];
    });
  }

  get isEmpty(): boolean {
    return this.#bound.length === 0;
  }

  concern(target: RuleTarget): boolean {
    // Names are not known yet, by which rules may exclude a write.
    const match = (policy: AdmissionPolicy): MatchResources => ({
      ...constraintsOf(policy),
      excludeResourceRules: [],
    });
    return this.#bound.some(({ policy }) => findMatched(match(policy), target) !== undefined);
  }

  /**
   * @returns warnings
   * @throws ServiceError of the first policy that denies the write
   */
  async validate(attributes: Attributes): Promise<readonly string[]> {
    const warnings: string[] = [];
    for (const bound of this.#bound) {
      const resource = await findResource(constraintsOf(bound.policy), attributes);
      if (resource !== undefined) warnings.push(...(await this.#validateBy(bound, resource, attributes)));
    }
    return warnings;
  }

  async #validateBy(
    bound: BoundPolicy,
    resource: RuleResource,
    attributes: Attributes,
  ): Promise<readonly string[]> {
    const { name } = bound.policy.metadata;
    const warnings: string[] = [];
    for (const binding of bound.bindings) {
      const { matchResources, validationActions = [] } = binding.spec ?? {};
      if (matchResources !== undefined && (await findResource(matchResources, attributes)) === undefined)
        continue;
      const failures = await this.#failures(bound, binding, resource, attributes);
      const [first] = failures;
      const by = `ValidatingAdmissionPolicy '${name}' with binding '${binding.metadata.name}'`;
      if (first !== undefined && validationActions.includes('Deny')) throw denial(attributes, first, by);
      if (validationActions.includes('Warn'))
        warnings.push(...failures.map(({ message }) => `Validation failed for ${by}: ${message}`));
    }
    return warnings;
  }

  /** A policy that cannot be evaluated fails, unless it says that this does not matter. */
  async #failures(
    bound: BoundPolicy,
    binding: PolicyBinding,
    resource: RuleResource,
    attributes: Attributes,
  ): Promise<readonly PolicyFailure[]> {
    const { spec = {} } = bound.policy;
    const isIgnored = spec.failurePolicy === 'Ignore';
    try {
      const program = (bound.program ??= new PolicyProgram(spec));
      const { model, namespace, allowance } = attributes.write;
      const params = await findParams(this.service, spec, binding.spec?.paramRef, namespace);
      const isNamespace = isOfNamespaces(model.resource);
      const namespaceObject = (isNamespace ? undefined : await attributes.findNamespace()) ?? null;
      const { variables } = await attributes.shownIn(resource);
      const failures: PolicyFailure[] = [];
      for (const one of params) {
        await allowance.pause();
        const inputs = { ...variables, params: one, namespaceObject };
        failures.push(...allowance.during(() => program.evaluate(inputs, allowance)));
      }
      return isIgnored ? failures.filter(({ reason }) => reason !== undefined) : failures;
    } catch (error) {
      if (error instanceof TooExpensive)
        throw error.in(`in ValidatingAdmissionPolicy '${bound.policy.metadata.name}'`);
      return isIgnored ? [] : [{ message: `failed to configure binding: ${getMessage(error)}` }];
    }
  }
}

function constraintsOf({ spec = {} }: AdmissionPolicy): MatchResources {
  return spec.matchConstraints ?? { resourceRules: [] };
}

/** The resource in the version that the rules name; undefined when they are not about the write. */
function findMatched(
  { resourceRules = [], excludeResourceRules = [], matchPolicy }: MatchResources,
  target: RuleTarget,
): RuleResource | undefined {
  if (findRuled(excludeResourceRules, target, matchPolicy) !== undefined) return undefined;
  return resourceRules.length === 0 ? target.resource : findRuled(resourceRules, target, matchPolicy);
}

async function findResource(
  match: MatchResources,
  attributes: Attributes,
): Promise<RuleResource | undefined> {
  const resource = findMatched(match, attributes.target);
  return resource !== undefined && (await isSelected(match, attributes)) ? resource : undefined;
}

function denial(
  { write }: Attributes,
  { message, reason = 'Invalid' }: PolicyFailure,
  by: string,
): ServiceError {
  const { group, kind } = write.model.resource;
  const told = `${by} denied request: ${message}`;
  const subject = `${qualifiedPlural(write.model.resource)} "${write.name}"`;
  return new ServiceError(CODES.get(reason) ?? 'Invalid', `${subject} is forbidden: ${told}`, {
    group,
    kind,
    name: write.name,
    causes: [{ field: '', reason: 'FieldValueInvalid', message: told }],
  });
}
