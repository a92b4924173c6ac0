import { useMemo, useState, type ReactNode } from 'react';
import { stringify } from 'yaml';
import { ApiError, isConflict } from '../../../api/errors.js';
import type { StoredObject } from '../../../api/objects.js';
import { queries } from '../../../api/queries.js';
import { createRole, ROLES, saveRules } from '../../../api/platform/access.js';
import { useMay, useRights } from '../../../api/platform/rights.js';
import { SaveButton } from '../../../editor/edit-bar.js';
import { arrayAt } from '../../../lib/json.js';
import { useLatest } from '../../../lib/use-latest.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { TextField } from '../../../parts/field.js';
import { ErrorNotice, Notice } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { getObject } from '../../../routes/route.js';
import { navigate } from '../../../routes/use-route.js';
import { session } from '../../../session/session.js';
import { t } from '../../../texts.js';
import { getRoleUrl } from '../place.js';
import { useAccessWrite } from '../write-dialog.js';
import { getCells, getProduct } from './cells.js';
import { getOpen, getRefused, NO_EDITS, toggled, withEdits, type Edits } from './edits.js';
import { ModelMatrix, PathMatrix } from './rights-matrix.js';
import { writeRules } from './write-rules.js';

/** Edits the rules of a role by checkboxes. @param role undefined for a new one */
export function RoleEditor({ role }: { readonly role: StoredObject | undefined }): ReactNode {
  const name = role?.metadata.name ?? '';
  const [typed, setTyped] = useState('');
  const [added, setAdded] = useState<readonly string[]>([]);
  const rules = arrayAt(role, 'rules');
  const stored = useMemo(() => getCells(rules), [rules]);
  const [kept, setEdits] = useEdits(name);
  const edits = getOpen(stored, kept);
  const cells = withEdits(stored, edits);
  const mine = useRights().data;
  const isReadOnly = !useMay(role === undefined ? 'create' : 'patch', ROLES, name === '' ? undefined : name);
  const { mutate, isPending, error, reset } = useAccessWrite(
    async () => {
      const next = writeRules(rules, cells);
      await (role === undefined ? createRole(typed, next) : saveRules(role, next));
      // The edits are dropped only when the stored role has them, so that no checkbox flickers.
      await queries.invalidateQueries({ queryKey: ['access'] });
    },
    () => {
      setEdits(NO_EDITS);
      say(t`Saved.`);
      if (role === undefined) navigate(getRoleUrl(typed));
    },
  );
  const isRefused = error instanceof ApiError && error.code === 403;
  const matrix = {
    cells,
    added,
    refused: isRefused ? getRefused(edits, mine) : NO_CELLS,
    isReadOnly,
    onAdd: (key: string) => setAdded([...added, key]),
    onToggle: useLatest((key: string, verb: string) => {
      reset();
      setEdits(toggled(stored, edits, key, verb));
    }),
  };
  return (
    <div className="role-editor">
      <div className="stack below">
        {role === undefined && (
          <div className="role-editor-name">
            <TextField label={t`Name`} value={typed} isRequired onChange={(text) => setTyped(text.trim())} />
          </div>
        )}
        <Section title={t`Models`}>
          <ModelMatrix {...matrix} />
        </Section>
        <Section title={t`Paths`}>
          <PathMatrix {...matrix} />
        </Section>
        <OtherRules role={name} rules={rules} />
      </div>
      {!isReadOnly && (
        <div className="row spread edit-bar">
          <Refusal error={error} />
          <span role="status">{edits.size === 0 ? t`No changes` : t`${edits.size} [change|changes]`}</span>
          <span className="actions">
            {edits.size > 0 && (
              <button type="button" onClick={() => discard(edits, setEdits)}>
                {t`Discard changes`}
              </button>
            )}
            <SaveButton
              label={role === undefined ? t`Create` : t`Save`}
              isSaving={isPending}
              isAllowed={role === undefined ? typed !== '' : edits.size > 0}
              onSave={mutate}
            />
          </span>
        </div>
      )}
    </div>
  );
}

const NO_CELLS: ReadonlySet<string> = new Set();

/** By role. They remain when another page is opened, but not for another user. */
const keptEdits = new Map<string, Edits>();

function useEdits(role: string): readonly [edits: Edits, change: (edits: Edits) => void] {
  const key = `${session.get().number} ${role}`;
  const [edits, setEdits] = useState(keptEdits.get(key) ?? NO_EDITS);
  const change = (next: Edits): void => {
    if (next.size === 0) keptEdits.delete(key);
    else keptEdits.set(key, next);
    setEdits(next);
  };
  return [edits, change];
}

interface OtherRulesProps {
  readonly role: string;
  readonly rules: readonly unknown[];
}

/** The rules that the matrix cannot show. */
function OtherRules({ role, rules }: OtherRulesProps): ReactNode {
  const others = rules.filter((rule) => getProduct(rule) === undefined);
  if (others.length === 0) return null;
  return (
    <Section title={t`Other rules`} actions={<a href={getObject(ROLES, role, 'yaml')}>{t`Edit as YAML`}</a>}>
      <p className="faint">{t`The table cannot show these rules. Saving keeps them as they are.`}</p>
      <pre className="well">{stringify(others)}</pre>
    </Section>
  );
}

/** Why a role was not saved. Edits stay, over the role as it is now. */
function Refusal({ error }: { readonly error: unknown }): ReactNode {
  if (error === null) return null;
  if (isConflict(error))
    return (
      <Notice tone="attention" title={t`Somebody changed this role in the meantime.`}>
        <p>{t`Your changes are shown over the new state. Check them, and save again.`}</p>
      </Notice>
    );
  return <ErrorNotice error={error} title={t`The role was not saved.`} />;
}

function discard(edits: Edits, setEdits: (edits: Edits) => void): void {
  setEdits(NO_EDITS);
  say(t`Changes were discarded.`, { label: t`Undo`, run: () => setEdits(edits) });
}
