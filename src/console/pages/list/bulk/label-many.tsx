import { useId, useState, type ReactNode } from 'react';
import { t } from '../../../texts.js';
import { useLabelKeys } from '../filters/use-label-keys.js';
import { BulkDialog } from './bulk-dialog.js';
import type { ManyProps } from './delete-many.js';
import { getPatchItem } from './patch-item.js';

interface LabelChange {
  readonly key: string;
  readonly value: string;
  readonly isRemoved: boolean;
}

const NEW: LabelChange = { key: '', value: '', isRemoved: false };

/** Sets and removes labels of the selected objects. */
export default function LabelMany({ model, target, onDone, onClose }: ManyProps): ReactNode {
  const [changes, setChanges] = useState<readonly LabelChange[]>([NEW]);
  const given = changes.map((one) => ({ ...one, key: one.key.trim() })).filter(({ key }) => key !== '');
  const labels = Object.fromEntries(
    // Null removes a label (RFC 7396).
    given.map(({ key, value, isRemoved }) => [key, isRemoved ? null : value.trim()]),
  );
  const patch = { metadata: { labels } };
  const keys = useLabelKeys(model, true);
  const listId = useId();
  return (
    <BulkDialog
      target={target}
      title={t`Change labels of ${target.count} ${model.plural}`}
      action={t`Apply`}
      hasFields
      itemOf={given.length === 0 ? undefined : getPatchItem(model, patch)}
      verb={(count: number) => t`Labels of ${count} changed`}
      onDone={onDone}
      onClose={onClose}
    >
      <datalist id={listId}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <div className="stack tight">
        {changes.map((change, i) => (
          <LabelRow
            key={i}
            number={i + 1}
            change={change}
            keysId={listId}
            onChange={(changed) => setChanges(changes.with(i, changed))}
          />
        ))}
        <button type="button" className="quiet add" onClick={() => setChanges([...changes, NEW])}>
          {t`+ Another label`}
        </button>
      </div>
      <p className="faint">{t`Up to 200 objects are changed in one step. Refused objects stay unchanged and are listed.`}</p>
    </BulkDialog>
  );
}

interface LabelRowProps {
  readonly number: number;
  readonly change: LabelChange;
  readonly keysId: string;
  readonly onChange: (change: LabelChange) => void;
}

function LabelRow({ number, change, keysId, onChange }: LabelRowProps): ReactNode {
  return (
    <div className="line">
      <input
        aria-label={t`Key ${number}`}
        autoFocus
        placeholder={t`team`}
        list={keysId}
        value={change.key}
        spellCheck={false}
        autoCapitalize="off"
        onChange={({ target }) => onChange({ ...change, key: target.value })}
      />
      <select
        aria-label={t`Change ${number}`}
        value={change.isRemoved ? 'remove' : 'set'}
        onChange={({ target }) => onChange({ ...change, isRemoved: target.value === 'remove' })}
      >
        <option value="set">{t`set to`}</option>
        <option value="remove">{t`remove`}</option>
      </select>
      <input
        aria-label={t`Value ${number}`}
        value={change.isRemoved ? '' : change.value}
        disabled={change.isRemoved}
        spellCheck={false}
        autoCapitalize="off"
        onChange={({ target }) => onChange({ ...change, value: target.value })}
      />
    </div>
  );
}
