import { useId, useState, type ReactNode } from 'react';
import { patchItem } from '../../../api/batches.js';
import { getNoun } from '../../../api/models.js';
import { t } from '../../../texts.js';
import { useLabelKeys } from '../filters/use-label-keys.js';
import { BulkDialog, type ManyProps } from './bulk-dialog.js';

interface LabelChange {
  readonly key: string;
  readonly value: string;
  readonly isRemoved: boolean;
}

const NEW: LabelChange = { key: '', value: '', isRemoved: false };

/** Input that is no language. */
const PLAIN = { spellCheck: false, autoCapitalize: 'off' } as const;

/** Sets and removes labels of the selected objects. */
export default function LabelMany({ model, ...many }: ManyProps): ReactNode {
  const [changes, setChanges] = useState<readonly LabelChange[]>([NEW]);
  const given = changes.map((one) => ({ ...one, key: one.key.trim() })).filter(({ key }) => key !== '');
  const labels = Object.fromEntries(
    // Null removes a label (RFC 7396).
    given.map(({ key, value, isRemoved }) => [key, isRemoved ? null : value.trim()]),
  );
  const keys = useLabelKeys(model);
  const listId = useId();
  return (
    <BulkDialog
      {...many}
      title={t`Change labels of ${many.target.count} ${getNoun(model, many.target.count)}`}
      action={t`Apply`}
      hasFields
      itemOf={given.length === 0 ? undefined : (name) => patchItem(model, name, { metadata: { labels } })}
      verb={(count) => t`Labels of ${count} changed`}
    >
      <datalist id={listId}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <div className="stack tight">
        {changes.map((change, i) => {
          const number = i + 1;
          const set = (part: Partial<LabelChange>): void =>
            setChanges(changes.with(i, { ...change, ...part }));
          return (
            <div key={i} className="line">
              <input
                {...PLAIN}
                aria-label={t`Key ${number}`}
                autoFocus
                placeholder={t`team`}
                list={listId}
                value={change.key}
                onChange={({ target }) => set({ key: target.value })}
              />
              <select
                aria-label={t`Change ${number}`}
                value={change.isRemoved ? 'remove' : 'set'}
                onChange={({ target }) => set({ isRemoved: target.value === 'remove' })}
              >
                <option value="set">{t`set to`}</option>
                <option value="remove">{t`remove`}</option>
              </select>
              <input
                {...PLAIN}
                aria-label={t`Value ${number}`}
                value={change.isRemoved ? '' : change.value}
                disabled={change.isRemoved}
                onChange={({ target }) => set({ value: target.value })}
              />
            </div>
          );
        })}
        <button type="button" className="quiet add" onClick={() => setChanges([...changes, NEW])}>
          {t`+ Another label`}
        </button>
      </div>
      <p className="faint">{t`Up to 200 objects are changed in one step. Refused objects stay unchanged and are listed.`}</p>
    </BulkDialog>
  );
}
