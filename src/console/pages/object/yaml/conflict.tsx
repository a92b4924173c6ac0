import { applyPatch, createPatch } from 'diff';
import { useEffect, useId, useMemo, useRef, useState, type ReactNode } from 'react';
import { stringify } from 'yaml';
import type { Loaded } from '../../../editor/drafts.js';
import { changedFields, mergedText, type ChangedField, type Side } from '../../../editor/merge.js';
import { Diff } from '../../../parts/diff.js';
import { Folded } from '../../../parts/long-text.js';
import { SimpleTable } from '../../../parts/simple-table.js';
import { t } from '../../../texts.js';
import type { YamlEdit } from './use-yaml-edit.js';

interface ConflictProps {
  readonly edit: YamlEdit;
  readonly current: Loaded;
  /** Saves the input over the changes of others. */
  readonly onSave: () => void;
  /** Saves the fields of both sides. */
  readonly onMerged: (merged: string) => void;
}

/** Two users changed the object: the changes of each, and the solutions. No input is lost. */
export function Conflict({ edit, current, onSave, onMerged }: ConflictProps): ReactNode {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  const { base, text: mine, isSaving, restart, save } = edit;
  const theirs = current.text;
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'start' });
    section.current?.focus({ preventScroll: true });
  }, [save.error]);
  const fields = useMemo(() => changedFields(base.text, mine, theirs), [base, mine, theirs]);
  const lines = useMemo(() => mergedLines(base.text, mine, theirs), [base, mine, theirs]);
  const goOn = (given: string): void => {
    save.reset();
    restart(current, given);
  };
  return (
    <section
      ref={section}
      className="notice notice-attention"
      role="alert"
      aria-labelledby={id}
      tabIndex={-1}
    >
      <h2 id={id}>{t`Conflict`}</h2>
      <p>{t`Somebody else changed this object in the meantime. Nothing was saved, and your text is kept.`}</p>
      {fields === undefined ? (
        // Without comparable fields, the lines that do not overlap can be merged.
        <button
          type="button"
          disabled={lines === undefined}
          onClick={() => lines !== undefined && goOn(lines)}
        >
          {t`Merge by lines`}
        </button>
      ) : (
        <FieldMerge key={current.revision} edit={edit} fields={fields} onMerge={onMerged} />
      )}
      <Folded summary={t`Both texts`}>
        <div className="tiles below">
          <div>
            <h3>{t`Their changes`}</h3>
            <Diff from={base.text} to={theirs} />
          </div>
          <div>
            <h3>{t`Your changes`}</h3>
            <Diff from={base.text} to={mine} />
          </div>
        </div>
      </Folded>
      <div className="actions">
        <button type="button" onClick={() => goOn(theirs)}>
          {t`Take theirs`}
        </button>
        <button type="button" className="danger" disabled={isSaving} onClick={onSave}>
          {t`Overwrite theirs with mine`}
        </button>
      </div>
    </section>
  );
}

/** Applies the changes of one text to the other; undefined when both changed the same lines. */
function mergedLines(base: string, mine: string, theirs: string): string | undefined {
  // A change is located by the line before and the line after it.
  const merged = applyPatch(theirs, createPatch('', base, mine, undefined, undefined, { context: 1 }));
  return merged === false ? undefined : merged;
}

interface FieldMergeProps {
  readonly edit: YamlEdit;
  readonly fields: readonly ChangedField[];
  readonly onMerge: (merged: string) => void;
}

const getName = ({ path }: ChangedField): string => path.join('.');
const getKey = ({ path }: ChangedField): string => JSON.stringify(path);

/** The fields that one user, or both, changed, and the choice of values. */
function FieldMerge({ edit, fields, onMerge }: FieldMergeProps): ReactNode {
  const id = useId();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Side>>(new Map());
  const findSide = (field: ChangedField): Side | undefined => chosen.get(getKey(field)) ?? field.by;
  const left = fields.filter((field) => findSide(field) === undefined).length;
  const choice = (field: ChangedField, side: Side, label: string): ReactNode => (
    <label>
      <input
        type="radio"
        name={`${id} ${getKey(field)}`}
        aria-label={label}
        checked={findSide(field) === side}
        onChange={() => setChosen(new Map([...chosen, [getKey(field), side]]))}
      />
      <Value value={field[side]} />
    </label>
  );
  return (
    <>
      <div className="merge">
        <SimpleTable
          label={t`Fields that were changed`}
          rows={fields}
          getKey={getKey}
          columns={[
            [t`Field`, (field) => <code>{getName(field)}</code>],
            [t`Before`, ({ base }) => <Value value={base} />],
            [t`Mine`, (field) => choice(field, 'mine', t`Mine for ${getName(field)}`)],
            [t`Theirs`, (field) => choice(field, 'theirs', t`Theirs for ${getName(field)}`)],
          ]}
        />
      </div>
      <p role="status">
        {left === 0
          ? t`Each field has a side.`
          : t`Both of you changed ${left} [field: choose a side.|fields: choose a side for each.]`}
      </p>
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={left > 0 || edit.isSaving}
          onClick={() => onMerge(mergedText(edit.text, fields, (field) => findSide(field) ?? 'mine'))}
        >
          {t`Save merged`}
        </button>
      </div>
    </>
  );
}

function Value({ value }: { readonly value: unknown }): ReactNode {
  if (value === undefined) return <span className="faint">{t`not set`}</span>;
  return <code className="value tall">{stringify(value, { lineWidth: 0 }).trimEnd()}</code>;
}
