import { useImperativeHandle, useMemo, useRef, type ReactNode, type Ref } from 'react';
import type { Cause } from '../api/errors.js';
import type { Model } from '../api/models.js';
import type { Guide } from '../editor/places.js';
import { objectAt } from '../lib/json.js';
import { Notice } from '../parts/notice.js';
import { t } from '../texts.js';
import { Members } from './field-view.js';
import { FormContext, type FormState } from './form-state.js';
import { readForm, type Obstacle, withValue } from './form-text.js';
import { leadToField } from './lead-to-field.js';
import { getFields } from './shape.js';

const OBSTACLES: Readonly<Record<Obstacle, () => string>> = {
  syntax: () => t`It is not valid YAML, or not an object. Nothing is lost: correct it as YAML.`,
  special: () => t`It has aliases, or keys that are not strings.`,
  long: () => t`It is too long for a form.`,
};

interface ObjectFormProps {
  readonly model: Model;
  /** As YAML: input is written into it. */
  readonly value: string;
  readonly isNew: boolean;
  readonly isReadOnly: boolean;
  readonly causes: readonly Cause[];
  readonly yamlHref: string;
  readonly onChange: (value: string) => void;
  readonly ref: Ref<Guide>;
}

/** Members that are not fields: the identity of the object's model, and members that programs write. */
const HIDDEN = ['apiVersion', 'kind', 'status'];

/** A form for the text of an object, from the schema of its model. The text is the only state. */
export function ObjectForm(props: ObjectFormProps): ReactNode {
  const { model, value, isNew, isReadOnly, causes, yamlHref, onChange, ref } = props;
  const read = useMemo(() => readForm(value), [value]);
  const isGenerated = 'values' in read && 'generateName' in objectAt(read.values, 'metadata');
  const naming = !isNew ? undefined : isGenerated ? 'generated' : 'chosen';
  const fields = useMemo(() => getFields(model.schema, naming), [model.schema, naming]);
  const state = useMemo(
    (): FormState => ({
      causes,
      yamlHref,
      prefix: `${model.singular}-`,
      set: (path, given) => onChange(withValue(value, path, given)),
      change: (changes) =>
        onChange(changes.reduce((before, [path, given]) => withValue(before, path, given), value)),
    }),
    [causes, yamlHref, model.singular, value, onChange],
  );
  const form = useRef<HTMLFieldSetElement>(null);
  const toYaml = useRef<HTMLAnchorElement>(null);
  useImperativeHandle(ref, () => ({
    leadTo: (goal) => {
      // Fields that a form cannot display are in the text.
      toYaml.current?.focus();
      if (form.current !== null && 'field' in goal) leadToField(form.current, goal.field);
    },
    rewrite: onChange,
  }));
  if ('obstacle' in read)
    return (
      <Notice tone="attention" title={t`The form cannot show this text.`}>
        <p>
          {OBSTACLES[read.obstacle]()}{' '}
          <a ref={toYaml} href={yamlHref}>
            {t`Edit as YAML`}
          </a>
        </p>
      </Notice>
    );
  return (
    <FormContext value={state}>
      <fieldset ref={form} className="object-form" aria-label={t`Form`} disabled={isReadOnly}>
        <Members fields={fields} path={[]} value={read.values} hidden={HIDDEN} />
      </fieldset>
    </FormContext>
  );
}
