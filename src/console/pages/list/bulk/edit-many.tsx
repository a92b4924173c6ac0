import { useId, useMemo, useState, type ReactNode } from 'react';
import { patchItem } from '../../../api/batches.js';
import { getNoun } from '../../../api/models.js';
import { ScalarInput } from '../../../form/inputs/scalar-input.js';
import { getFields } from '../../../form/shape/object-fields.js';
import type { Field, ScalarShape } from '../../../form/shape/shape.js';
import { withMember } from '../../../lib/json.js';
import { humanize } from '../../../lib/naming.js';
import { Choice } from '../../../parts/field.js';
import { SignButton } from '../../../parts/icon.js';
import { t } from '../../../texts.js';
import { BulkDialog, type ManyProps } from './bulk-dialog.js';

/** A field that can be set, with the path to it. */
interface EditableField {
  readonly path: readonly string[];
  readonly title: string;
  readonly shape: ScalarShape;
}

interface FieldChange {
  readonly field: EditableField;
  /** Undefined clears the field. */
  readonly value: unknown;
}

/** Sets and clears fields of the selected objects. */
export default function EditMany({ model, ...many }: ManyProps): ReactNode {
  const formId = useId();
  const [changes, setChanges] = useState<readonly FieldChange[]>([]);
  const fields = useMemo(() => flatten(getFields(model.schema, undefined).content, []), [model]);
  const others = fields.filter((field) => changes.every((one) => one.field !== field));
  const patch = changes.reduce(
    (before, { field, value }) => withMember(before, field.path, value ?? null),
    {},
  );
  return (
    <BulkDialog
      {...many}
      title={t`Edit fields of ${many.target.count} ${getNoun(model, many.target.count)}`}
      action={t`Apply`}
      hasFields
      itemOf={changes.length === 0 ? undefined : (name) => patchItem(model, name, patch)}
      verb={(count) => t`${count} changed`}
      trialVerb={(count) => t`${count} can be changed`}
    >
      {changes.map((change, i) => {
        const { title, shape, path } = change.field;
        const id = `${formId}-${path.join('.')}`;
        return (
          <div key={id} className="field">
            <label htmlFor={id}>{title}</label>
            <div className="item">
              <ScalarInput
                shape={shape}
                isRequired={false}
                value={change.value}
                input={{ id, 'aria-label': title, 'aria-describedby': '', 'aria-invalid': false }}
                // A number that has been typed may have all digits; JSON of the browser has not.
                onChange={(given) => {
                  const value = typeof given === 'bigint' ? Number(given) : given;
                  setChanges(changes.with(i, { ...change, value }));
                }}
              />
              <SignButton
                icon="close"
                label={t`Remove ${title}`}
                onPress={() => setChanges(changes.filter((one) => one !== change))}
              />
            </div>
          </div>
        );
      })}
      <Choice
        label={t`Field`}
        value=""
        choices={[['', t`choose…`], ...others.map(({ path, title }) => [path.join('.'), title] as const)]}
        onChange={(path) => {
          const field = others.find((one) => one.path.join('.') === path);
          if (field !== undefined) setChanges([...changes, { field, value: undefined }]);
        }}
      />
      <p className="faint">{t`An empty field is cleared.`}</p>
    </BulkDialog>
  );
}

/** Labels and annotations have another dialog. */
function flatten(fields: readonly Field[], above: readonly string[]): readonly EditableField[] {
  return fields.flatMap(({ name, title, shape }): readonly EditableField[] => {
    const path = [...above, name];
    if (shape.shape === 'group') return flatten(shape.fields, path);
    if (shape.shape !== 'scalar') return [];
    const own = title === '' ? humanize(name) : title;
    return [{ path, title: path.length > 2 ? `${humanize(above.at(-1) ?? '')} › ${own}` : own, shape }];
  });
}
