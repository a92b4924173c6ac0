import { t } from '../../../texts.js';
import type { DraftProblem } from './causes.js';
import { limitWords } from './field-schema.js';
import { isGroup } from './field-types.js';
import type { FieldDraft, ModelDraft, ModelNames } from './model-draft.js';
import { fieldNameOf } from './names.js';

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** Problems that a definition cannot express: the service would not see them. */
export function checkDraft(
  { title, fields, stored }: ModelDraft,
  names: ModelNames,
): readonly DraftProblem[] {
  const ofModel = (part: string, message: string): DraftProblem => ({ fieldId: undefined, part, message });
  const isNamed = title.trim() !== '' || stored !== undefined;
  return [
    ...(isNamed ? [] : [ofModel('title', t`Say what one object is called, such as Product.`)]),
    ...(isNamed && names.kind === ''
      ? [ofModel('kind', t`Type a name for programs in Latin letters, such as Product.`)]
      : []),
    ...(fields.length === 0 && stored === undefined ? [ofModel('fields', t`Add at least one field.`)] : []),
    ...checkFields(fields),
  ];
}

function checkFields(fields: readonly FieldDraft[]): readonly DraftProblem[] {
  const names = fields.map(fieldNameOf);
  return fields.flatMap((field, i) => {
    const name = names[i] ?? '';
    const isTwice = name !== '' && names.indexOf(name) < i;
    const faults = [...nameFaults(field, name, isTwice), ...contentFaults(field), ...limitFaults(field)];
    return [
      ...faults.map(([part, message]) => ({ fieldId: field.id, part, message })),
      ...checkFields(field.fields),
    ];
  });
}

type FieldFault = readonly [part: string, message: string];

function nameFaults(field: FieldDraft, name: string, isTwice: boolean): readonly FieldFault[] {
  if (isTwice) return [['label', t`Another field has the name ${name}.`]];
  if (name === '' && field.label.trim() === '') return [['label', t`Type a name for the field.`]];
  if (name === '') return [['name', t`Type a name for programs in Latin letters, such as dueDate.`]];
  // Fields that are stored already keep their names, whatever they are.
  const isStored = field.id.endsWith(`/${name}`) && name !== '__proto__';
  if (isStored || NAME.test(name)) return [];
  return [['name', t`The name must have letters and digits, at most 63, and begin with a letter.`]];
}

function contentFaults({ type, choices, target, fields }: FieldDraft): readonly FieldFault[] {
  if (type === 'choice' && choices.length === 0) return [['choices', t`Add at least one value.`]];
  if (type === 'reference' && target === undefined)
    return [['target', t`Choose the model that it refers to.`]];
  if (isGroup(type) && fields.length === 0) return [['fields', t`Add at least one field.`]];
  return [];
}

function limitFaults({ type, isMany, limits }: FieldDraft): readonly FieldFault[] {
  const [least, most] = limitWords(type, isMany);
  const isWrong = (word: string | undefined, typed: string): boolean =>
    word !== undefined && typed !== '' && (typed.trim() === '' || !Number.isFinite(Number(typed)));
  const wrong: FieldFault[] = [];
  if (isWrong(least, limits.least)) wrong.push(['least', t`This is not a number.`]);
  if (isWrong(most, limits.most)) wrong.push(['most', t`This is not a number.`]);
  const hasBoth = limits.least !== '' && limits.most !== '';
  if (wrong.length === 0 && hasBoth && Number(limits.least) > Number(limits.most))
    return [['most', t`It must not be less than the least.`]];
  return wrong;
}
