import type { ReactNode } from 'react';
import { useMe } from '../../api/platform/me.js';
import { useRights } from '../../api/platform/rights.js';
import { type Rule } from '../../api/platform/rules.js';
import { CloseButton, DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { Pending } from '../../parts/notice.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { t } from '../../texts.js';

/** The rules that apply to the current user. */
export default function MyRights({ onClose }: { readonly onClose: () => void }): ReactNode {
  const me = useMe();
  const { data, error } = useRights();
  return (
    <DialogFrame title={me === undefined ? t`My rights` : t`Rights of ${me}`} onClose={onClose}>
      {data === undefined && <Pending error={error} />}
      {data?.length === 0 && <p className="faint">{t`None. Ask an administrator for a role.`}</p>}
      {data !== undefined && data.length > 0 && (
        <SimpleTable
          label={t`Rules`}
          rows={data}
          getKey={(_rule, i) => i}
          columns={[
            [t`Resources`, (rule) => getSubject(rule)],
            [t`Verbs`, ({ verbs }) => <span lang="en">{verbs.map(formatAll).join(', ')}</span>],
            [t`Objects`, ({ resourceNames, limits }) => [...resourceNames, ...limits].join(', ') || t`all`],
          ]}
        />
      )}
      <CloseButton onClose={onClose} />
    </DialogFrame>
  );
}

function getSubject({ resources, apiGroups, nonResourceURLs }: Rule): ReactNode {
  return (
    <>
      {[...resources.map(formatAll), ...nonResourceURLs].join(', ')}
      {resources.length > 0 && <p className="faint">{apiGroups.map(formatAll).join(', ')}</p>}
    </>
  );
}

function formatAll(word: string): string {
  return word === '*' ? t`all` : word;
}
