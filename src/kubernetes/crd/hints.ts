import type { Cause } from '../../errors.js';
import type { JsonObject } from '../../model/object.js';
import { withBaseProperties } from '../../model/schema/base-schema.js';
import { HINTS } from '../../model/schema/hints.js';
import { findHintFaults } from '../../model/schema/lint-hints.js';
import { eachSubschema, isJsonObject } from '../../model/schema/schema-walk.js';
import type { Definition } from './definition.js';
import { fault } from './rules/fault.js';

/** Faults of the hints for the console in the schemas of all versions. */
export function hintFaults({ spec = {} }: Definition): readonly Cause[] {
  return (spec.versions ?? []).flatMap(({ schema = {} }, i) => {
    const { openAPIV3Schema: root = {} } = schema;
    // Most schemas have none, and some are very large: a search of their text is the fastest.
    if (!JSON.stringify(root).includes(HINTS)) return [];
    return faultsBelow(root, `spec.versions[${i}].schema.openAPIV3Schema`, withBaseProperties(root), true);
  });
}

function faultsBelow(schema: JsonObject, path: string, root: JsonObject, isModel: boolean): readonly Cause[] {
  const place = isModel
    ? ({ schema: root, root, of: 'model' } as const)
    : ({ schema, root, of: 'field' } as const);
  const causes = findHintFaults(place).map(({ member, text }) =>
    fault(`${path}.${HINTS}${member === undefined ? '' : `.${member}`}`, 'Invalid', text),
  );
  eachSubschema(schema, (sub, [keyword, member]) => {
    const step = member === undefined ? keyword : `${keyword}[${member}]`;
    if (isJsonObject(sub)) causes.push(...faultsBelow(sub, `${path}.${step}`, root, false));
  });
  return causes;
}
