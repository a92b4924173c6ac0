import { useState, type ReactNode } from 'react';
import { qualifiedPlural, type Model } from '../../../api/models.js';
import { DialogButton } from '../../../parts/dialogs/dialog-button.js';
import { FormDialog } from '../../../parts/dialogs/form-dialog.js';
import { Choice, TextField } from '../../../parts/field.js';
import { t } from '../../../texts.js';
import { keyOf } from './cells.js';

interface NewRowProps {
  readonly models: readonly Model[];
  readonly onAdd: (key: string) => void;
}

/** Adds a row for a part of objects, such as their history, or for some objects. */
export function NewRow(props: NewRowProps): ReactNode {
  const dialog = (onClose: () => void): ReactNode => <NewRowDialog {...props} onClose={onClose} />;
  return <DialogButton label={t`Add a row`} isAllowed dialog={dialog} />;
}

function NewRowDialog({ models, onAdd, onClose }: NewRowProps & { readonly onClose: () => void }): ReactNode {
  const [chosen, setChosen] = useState('');
  const [part, setPart] = useState('');
  const [typed, setTyped] = useState('');
  const model = models.find((one) => qualifiedPlural(one) === chosen);
  const names = typed.split(/[\s,]+/).filter((name) => name !== '');
  const add = (): void => {
    if (model === undefined) return;
    const resource = part === '' ? model.plural : `${model.plural}/${part}`;
    onAdd(keyOf({ group: model.group, resource, names: [...new Set(names)] }));
    onClose();
  };
  return (
    <FormDialog
      title={t`Add a row`}
      action={t`Add`}
      isBusy={model === undefined || (part === '' && names.length === 0)}
      error={null}
      onSubmit={add}
      onClose={onClose}
    >
      <Choice label={t`Model`} value={chosen} choices={models.map(qualifiedPlural)} onChange={setChosen} />
      <TextField
        label={t`Part of the objects, such as history or status`}
        value={part}
        onChange={(text) => setPart(text.trim())}
      />
      <TextField label={t`Names of objects (empty for all)`} value={typed} onChange={setTyped} />
    </FormDialog>
  );
}
