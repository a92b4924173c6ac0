import { applyPatch, createPatch } from 'diff';
import { useEffect, useId, useMemo, useRef, type ReactNode } from 'react';
import type { Loaded } from '../../../editor/drafts.js';
import { changedFields } from '../../../editor/merge.js';
import { Diff } from '../../../parts/diff.js';
import { Folded } from '../../../parts/long-text.js';
import { t } from '../../../texts.js';
import { FieldMerge } from './field-merge.js';
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
  const { error } = save;
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'start' });
    section.current?.focus({ preventScroll: true });
  }, [error]);
  const fields = useMemo(() => changedFields({ base: base.text, mine, theirs }), [base, mine, theirs]);
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
        <LineMerge base={base.text} mine={mine} theirs={theirs} onMerge={goOn} />
      ) : (
        <FieldMerge
          key={current.revision}
          mine={mine}
          fields={fields}
          isSaving={isSaving}
          onMerge={onMerged}
        />
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

interface LineMergeProps {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  readonly onMerge: (merged: string) => void;
}

/** For texts without comparable fields: merges the lines that do not overlap. */
function LineMerge({ base, mine, theirs, onMerge }: LineMergeProps): ReactNode {
  const merged = useMemo(() => merge(base, mine, theirs), [base, mine, theirs]);
  return (
    <div className="actions">
      <button
        type="button"
        disabled={merged === undefined}
        onClick={() => merged !== undefined && onMerge(merged)}
      >
        {t`Merge by lines`}
      </button>
    </div>
  );
}

/** Applies the changes of one text to the other; undefined when both changed the same lines. */
function merge(base: string, mine: string, theirs: string): string | undefined {
  // A change is located by the line before and the line after it.
  const patch = createPatch('', base, mine, undefined, undefined, { context: 1 });
  const merged = applyPatch(theirs, patch);
  return merged === false ? undefined : merged;
}
