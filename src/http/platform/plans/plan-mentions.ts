import { ROLES } from '../../../access/models.js';
import { textsOf } from '../../../lib/json/json.js';
import { evaluate, readJsonPath } from '../../../lib/json/json-path.js';
import type { ModelPlan, PlanChangeKind } from '../../../lifecycle/model-plan.js';
import type { ExtensionObject } from '../../../model/object.js';
import type { ResourceRef } from '../../../service/verbs.js';
import { VIEWS } from '../../../views/model.js';
import { WEBHOOKS } from '../../../webhooks/webhook.js';

/** The places of objects that name fields of models. */
interface Place {
  readonly ref: ResourceRef;
  /**
   * JSON paths: to the parts about models; from a part, or from the object (`$`), to the groups, to the plurals or kinds, to the
   * conditions and orders, which need indexes, and to the fields.
   */
  readonly paths: readonly [string, string, string, string, string?];
  readonly decode?: (condition: string) => string;
}

const PLACES: readonly Place[] = [
  { ref: ROLES, paths: ['.rules[*]', '.apiGroups[*]', '.resources[*]', '.filter', '.fields.*[*]'] },
  { ref: WEBHOOKS, paths: ['.spec.models[*]', '.group', '.kind', "$.spec['filter','fieldSelector']"] },
  {
    ref: VIEWS,
    paths: ['.spec.model', '.group', '.plural', '$.spec.parameters', '$.spec.columns[*]'],
    decode: (query) => [...new URLSearchParams(query).values()].join('\n'),
  },
];

const REMOVALS: Partial<Record<PlanChangeKind, string>> = {
  'field-removed': 'which is removed',
  'index-removed': 'whose index is removed',
};

/** Adds the objects that mention removed fields or indexes, also as warnings. @param list reads the objects of a model */
export async function withMentions<Plan extends { readonly models: readonly ModelPlan[] }>(
  plan: Plan,
  list: (ref: ResourceRef) => AsyncIterable<ExtensionObject> | Iterable<ExtensionObject>,
): Promise<Plan> {
  const models: ModelPlan[] = [];
  for (const model of plan.models) {
    const removals = model.changes.filter(({ kind }) => kind in REMOVALS);
    const [mentions, warnings]: [object[], string[]] = [[], [...model.warnings]];
    for (const place of removals.length === 0 ? [] : PLACES)
      for await (const object of list(place.ref)) {
        const { kind } = place.ref;
        const { name } = object.metadata;
        const { fields, conditions } = pathsAbout(model, object, place);
        const named = new Set<string>();
        for (const { kind: removal, path } of removals) {
          const field = path.replaceAll('[]', '');
          const paths = removal === 'field-removed' ? [...fields, ...conditions] : conditions;
          if (named.has(field) || !paths.some((one) => isWithin(one, field))) continue;
          named.add(field);
          mentions.push({ kind, name, field });
          warnings.push(`${kind} "${name}" mentions ${field}, ${REMOVALS[removal]}`);
        }
      }
    models.push(Object.assign({ ...model, warnings }, { mentions }));
  }
  return { ...plan, models };
}

/** Wrong types in stored objects count as absent. */
function pathsAbout({ group, kind, plural }: ModelPlan, object: ExtensionObject, { paths, decode }: Place) {
  const [toParts, toGroups, toModels, toConditions, toFields] = paths;
  const textsAt = (path: string, part: unknown) => textsOf(evaluate(object, readJsonPath(path), part));
  const parts = evaluate(object, readJsonPath(toParts)).filter(
    (part) =>
      textsAt(toGroups, part).some((text) => ['*', group].includes(text)) &&
      textsAt(toModels, part).some((text) => ['*', kind, plural].includes(text.replace(/\/.*/s, ''))),
  );
  const inParts = (path: string) => parts.flatMap((part) => textsAt(path, part));
  return {
    fields: toFields === undefined ? [] : inParts(toFields).flatMap(pathsIn),
    conditions: inParts(toConditions).flatMap((text) => pathsIn(decode?.(text) ?? text)),
  };
}

const LITERALS = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/g;
const PATHS = /(?<![\p{L}\p{N}_$.-])[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*/gu;

/** The dotted words of a text outside of literals, without positions in lists. */
function pathsIn(text: string): readonly string[] {
  const words = text.replaceAll(LITERALS, ' ').replaceAll(/\[[\d*]*\]/g, '');
  return words.match(PATHS) ?? [];
}

/** True for a field and for what is below it. */
function isWithin(path: string, field: string): boolean {
  const steps = path.split('.');
  return field.split('.').every((step, i) => step === '*' || step === steps[i]);
}
