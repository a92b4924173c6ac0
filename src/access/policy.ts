import { isRecord } from '../lib/json.js';
import type { ExtensionObject } from '../model/object.js';
import type { Rule } from './rules.js';

/** On a role: a JSON array with the names of roles whose rules are its own as well. */
export const DEPENDENCIES = 'rbac.authorization.platform.run/dependencies';

const NO_RULES: readonly Rule[] = [];

/** The rules that bindings give to users. What names no user, or no role there is, gives nothing. */
export class Policy {
  private readonly byUser = new Map<string, readonly Rule[]>();

  /** Objects that the schemas of their models have accepted. */
  constructor(roles: Iterable<ExtensionObject>, bindings: Iterable<ExtensionObject>) {
    const byName = new Map([...roles].map((role) => [role.metadata.name, role] as const));
    for (const binding of bindings) {
      const rules = rulesOf(byName, nameIn(binding.roleRef));
      for (const subject of listIn(binding.subjects)) this.give(nameIn(subject), rules);
    }
  }

  rulesFor(user: string): readonly Rule[] {
    return this.byUser.get(user) ?? NO_RULES;
  }

  private give(user: string, rules: readonly Rule[]): void {
    this.byUser.set(user, [...this.rulesFor(user), ...rules]);
  }
}

/** The rules of a role and of all that it depends on, each role once, whoever depends on whom. */
function rulesOf(roles: ReadonlyMap<string, ExtensionObject>, name: string): readonly Rule[] {
  const seen = new Set<string>();
  const rules: Rule[] = [];
  const left = [name];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const role = roles.get(next);
    if (role === undefined || seen.has(next)) continue;
    seen.add(next);
    for (const rule of listIn(role.rules)) rules.push(asRule(rule));
    left.push(...dependenciesOf(role));
  }
  return rules;
}

/** None for an annotation that is no JSON array of texts. */
export function dependenciesOf({ metadata }: ExtensionObject): readonly string[] {
  const text = metadata.annotations?.[DEPENDENCIES];
  if (text === undefined) return [];
  try {
    return textsIn(JSON.parse(text));
  } catch {
    return [];
  }
}

function asRule(value: unknown): Rule {
  const rule = isRecord(value) ? value : {};
  return {
    apiGroups: textsIn(rule.apiGroups),
    resources: textsIn(rule.resources),
    resourceNames: textsIn(rule.resourceNames),
    nonResourceURLs: textsIn(rule.nonResourceURLs),
    verbs: textsIn(rule.verbs),
  };
}

function textsIn(value: unknown): readonly string[] {
  return listIn(value).filter((item) => typeof item === 'string');
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function nameIn(value: unknown): string {
  return isRecord(value) && typeof value.name === 'string' ? value.name : '';
}
