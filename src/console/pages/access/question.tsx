import { useState, type ReactNode } from 'react';
import type { RoleRule } from '../../api/platform/access.js';
import { qualifiedPlural, storedModels, useModels } from '../../api/models.js';
import { allows, VERBS, type Verb } from '../../api/platform/rights.js';
import { Choice, TextField } from '../../parts/field.js';
import { text } from '../../texts.js';

/** Tests if rules allow an action, and names the role. */
export function Question({ rules }: { readonly rules: readonly RoleRule[] }): ReactNode {
  const models = storedModels(useModels().data ?? []);
  const [verb, setVerb] = useState<string>('get');
  const [chosen, setChosen] = useState('');
  const [name, setName] = useState('');
  const model = models.find((one) => qualifiedPlural(one) === chosen) ?? models[0];
  if (model === undefined) return null;
  const { access } = text;
  const action = { verb, group: model.group, resource: model.plural, ...(name !== '' && { name }) };
  const found = rules.find(({ rule }) => allows(rule, action));
  return (
    <div className="question">
      <Choice
        label={access.verb}
        value={verb}
        choices={VERBS.map((one) => [one, getName(one)])}
        onChange={setVerb}
      />
      <Choice
        label={access.model}
        value={qualifiedPlural(model)}
        choices={models.map((one) => [qualifiedPlural(one), qualifiedPlural(one)])}
        onChange={setChosen}
      />
      <TextField label={access.objectName} value={name} onChange={(typed) => setName(typed.trim())} />
      <p role="status" className={found === undefined ? 'answer problem' : 'answer good'}>
        {found === undefined ? access.no : access.yes(found.role)}
      </p>
    </div>
  );
}

/** The API's word for a verb, followed by its name in the page's language. Rules contain the API's word. */
function getName(verb: Verb): string {
  const said = text.access.verbNames[verb];
  return said === verb ? verb : `${verb} – ${said}`;
}
