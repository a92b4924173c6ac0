import { useState, type ReactNode } from 'react';
import type { RoleRule } from '../../../api/platform/access.js';
import { qualifiedPlural, storedModels, useModels } from '../../../api/models.js';
import { allows, VERBS, type Verb } from '../../../api/platform/rules.js';
import { Choice, TextField } from '../../../parts/field.js';
import { t } from '../../../texts.js';

/** Tests if rules allow an action, and names the role. */
export function Question({ rules }: { readonly rules: readonly RoleRule[] }): ReactNode {
  const models = storedModels(useModels().data ?? []);
  const [verb, setVerb] = useState<string>('get');
  const [chosen, setChosen] = useState('');
  const [name, setName] = useState('');
  const model = models.find((one) => qualifiedPlural(one) === chosen) ?? models[0];
  if (model === undefined) return null;
  const action = { verb, group: model.group, resource: model.plural, ...(name !== '' && { name }) };
  const allowing = rules.filter(({ rule }) => allows(rule, action));
  const found = allowing.find(({ rule }) => rule.limits.length === 0) ?? allowing[0];
  return (
    <div className="question tiles tiles-narrow">
      <Choice
        label={t`Verb`}
        value={verb}
        choices={VERBS.map((one) => [one, getName(one)])}
        onChange={setVerb}
      />
      <Choice
        label={t`Model`}
        value={qualifiedPlural(model)}
        choices={models.map(qualifiedPlural)}
        onChange={setChosen}
      />
      <TextField label={t`Object (empty for all)`} value={name} onChange={(typed) => setName(typed.trim())} />
      <p role="status" className={found === undefined ? 'answer problem' : 'answer good'}>
        {getAnswer(found)}
      </p>
    </div>
  );
}

function getAnswer(found: RoleRule | undefined): string {
  if (found === undefined) return t`No.`;
  const { role, rule } = found;
  if (rule.limits.length === 0) return t`Yes: the role “${role}” allows it.`;
  return t`For some objects or fields: the role “${role}” allows it with ${rule.limits.join('; ')}.`;
}

/** The API's word for a verb, followed by its name in the page's language. Rules contain the API's word. */
function getName(verb: Verb): string {
  const said = t(verb);
  return said === verb ? verb : `${verb} – ${said}`;
}
