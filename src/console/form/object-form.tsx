import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type Ref,
} from 'react';
import { flushSync } from 'react-dom';
import type { Cause } from '../api/errors.js';
import type { Model } from '../api/models.js';
import { addWriter } from '../editor/drafts.js';
import type { Guide } from '../editor/places.js';
import { useLatest } from '../lib/use-latest.js';
import { Notice } from '../parts/notice.js';
import { t } from '../texts.js';
import { FieldView } from './fields/field-view.js';
import { Members } from './fields/group-field.js';
import { FormContext, type FormState } from './form-state.js';
import { FormStore } from './form-store.js';
import type { Obstacle } from './form-text.js';
import { leadToField } from './lead-to-field.js';
import { below, findPath, ROOT } from './path.js';
import { getFields, HIDDEN } from './shape/object-fields.js';

const OBSTACLES: Readonly<Record<Obstacle, () => string>> = {
  syntax: () => t`It is not valid YAML, or not an object. Nothing is lost: correct it as YAML.`,
  special: () => t`It has aliases, or keys that are not strings.`,
  long: () => t`It is too long for a form.`,
};

export interface ObjectFormProps {
  readonly model: Pick<Model, 'schema' | 'singular'>;
  /** As YAML: input is written into it. */
  readonly value: string;
  readonly isNew?: boolean;
  readonly isReadOnly?: boolean;
  /** True during a save that must not meet changes. */
  readonly isLocked?: boolean;
  readonly causes?: readonly Cause[];
  readonly yamlHref: string;
  readonly onChange: (value: string) => void;
  readonly ref?: Ref<Guide>;
}

const NO_CAUSES: readonly Cause[] = [];
const METADATA = below(ROOT, 'metadata');
const NO_METADATA = ['labels', 'annotations', 'name', 'generateName'];

/** A form for the text of an object, from the schema of its model. */
export function ObjectForm(props: ObjectFormProps): ReactNode {
  const {
    model,
    value,
    isNew = false,
    isReadOnly = false,
    isLocked = false,
    causes = NO_CAUSES,
    yamlHref,
    onChange,
    ref,
  } = props;
  const store = useFormStore(value, onChange, isLocked);
  const obstacle = useSyncExternalStore(store.subscribe, () => store.obstacle);
  const isGenerated = useSyncExternalStore(
    store.subscribe,
    () => store.get(below(METADATA, 'generateName')) !== undefined,
  );
  const naming = !isNew ? undefined : isGenerated ? 'generated' : 'chosen';
  const fields = useMemo(() => getFields(model.schema, naming), [model.schema, naming]);
  const state = useMemo(
    (): FormState => ({ store, causes, isReadOnly, prefix: `${model.singular}-`, FieldView }),
    [store, causes, isReadOnly, model.singular],
  );
  const form = useRef<HTMLFieldSetElement>(null);
  const toYaml = useRef<HTMLAnchorElement>(null);
  useImperativeHandle(ref, () => ({
    leadTo: (goal) => {
      toYaml.current?.focus();
      // The only syntax error in a form is that of a field which is edited as YAML.
      const faulty = form.current?.querySelector<HTMLElement>('[data-field]:has(> .problem)');
      const name = 'field' in goal ? goal.field : faulty?.dataset.field;
      if (form.current === null || name === undefined) return;
      flushSync(() => store.reveal(findPath(ROOT, store.get, name)));
      leadToField(form.current, name);
    },
    rewrite: onChange,
  }));
  if (obstacle !== undefined)
    return (
      <Notice tone="attention" title={t`The form cannot show this text.`}>
        <p>
          {OBSTACLES[obstacle]()}{' '}
          <a ref={toYaml} href={yamlHref}>
            {t`Edit as YAML`}
          </a>
        </p>
      </Notice>
    );
  const { name, content, metadata } = fields;
  return (
    <FormContext value={state}>
      <fieldset
        ref={form}
        className={isReadOnly ? 'stack object-form object-form-reading' : 'stack object-form'}
        aria-label={t`Form`}
        disabled={isReadOnly}
      >
        {name !== undefined && (
          <fieldset className="stack" aria-label={t`Metadata`}>
            <FieldView field={name} path={below(METADATA, name.name)} />
          </fieldset>
        )}
        <Members fields={content} path={ROOT} hidden={HIDDEN} />
        {metadata.length > 0 && (
          <details className="card form-more" data-field="metadata">
            <summary>{t`Labels and annotations`}</summary>
            <Members fields={metadata} path={METADATA} hidden={NO_METADATA} />
          </details>
        )}
      </fieldset>
    </FormContext>
  );
}

/** The values of a text. Other texts than those that it wrote replace them. */
function useFormStore(value: string, onChange: (value: string) => void, isLocked: boolean): FormStore {
  const write = useLatest(onChange);
  const [store] = useState(() => new FormStore(value, write));
  useLayoutEffect(() => {
    store.isLocked = isLocked;
  });
  useLayoutEffect(() => {
    if (value !== store.text) store.load(value);
  }, [store, value]);
  useEffect(() => addWriter(store.write), [store]);
  return store;
}
