import { arrayAt, objectAt, textAt, type JsonObject } from './json.js';
import { schemaAt } from './schema.js';

/** The keyword of schemas with hints for the console. */
export const HINTS = 'x-xsvc-console';

/** How a model is displayed: the hints at the root of its schema. */
interface ModelHints {
  /** The dotted path of the field that people know an object by, such as `spec.title`; undefined without one. */
  readonly title: string | undefined;
  /** The name of an icon; undefined without one. */
  readonly icon: string | undefined;
  /** The heading of the model in the navigation; undefined without one. */
  readonly group: string | undefined;
  /** The dotted paths of the columns of lists, in order; empty: those of the model. */
  readonly columns: readonly string[];
}

export const WIDGETS = ['markdown', 'multiline', 'color', 'code', 'password', 'image', 'slider'] as const;
/** The input of a field when its type does not say it. */
export type Widget = (typeof WIDGETS)[number];

/** How a field is displayed in forms: the hints in its schema. */
interface FieldHints {
  readonly isHidden: boolean;
  readonly widget: Widget | undefined;
  /** True when it takes half of the width of the form. Undefined: its type decides. */
  readonly isHalf: boolean | undefined;
}

/** The fields that serve as titles of models without hints, the first one that the schema declares. */
const USUAL_TITLES = ['title', 'displayName', 'name', 'label', 'subject'];

export function getModelHints(schema: JsonObject): ModelHints {
  const hints = objectAt(schema, HINTS);
  return {
    title: textAt(hints, 'title') ?? findUsualTitle(schema),
    icon: textAt(hints, 'icon'),
    group: textAt(hints, 'group'),
    columns: arrayAt(hints, 'columns').filter((one) => typeof one === 'string'),
  };
}

export function getFieldHints(schema: JsonObject): FieldHints {
  const hints = objectAt(schema, HINTS);
  const width = textAt(hints, 'width');
  return {
    isHidden: hints.hidden === true,
    widget: WIDGETS.find((one) => one === hints.widget),
    isHalf: width === undefined ? undefined : width === 'half',
  };
}

function findUsualTitle(schema: JsonObject): string | undefined {
  return USUAL_TITLES.map((name) => `spec.${name}`).find(
    (field) => schemaAt(schema, field).type === 'string',
  );
}
