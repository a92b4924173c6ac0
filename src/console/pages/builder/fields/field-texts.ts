import { t } from '../../../texts.js';
import type { FieldType } from '../draft/model-draft.js';

const NAMES: Readonly<Record<FieldType, () => string>> = {
  text: () => t`Text`,
  longText: () => t`Long text`,
  markdown: () => t`Formatted text`,
  number: () => t`Number`,
  integer: () => t`Integer`,
  boolean: () => t`Yes or no`,
  date: () => t`Date`,
  dateTime: () => t`Date and time`,
  choice: () => t`Choice`,
  reference: () => t`Reference`,
  texts: () => t`List of texts`,
  group: () => t`Group of fields`,
  groups: () => t`List of groups`,
  email: () => t`E-mail`,
  url: () => t`Web address`,
  image: () => t`Image`,
  color: () => t`Colour`,
  json: () => t`JSON`,
  other: () => t`Kept as YAML`,
};

export function typeName(type: FieldType): string {
  return NAMES[type]();
}
