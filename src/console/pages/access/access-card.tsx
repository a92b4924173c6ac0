import { useState, type ReactNode } from 'react';
import { useAccessObjects } from '../../api/platform/access.js';
import type { ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { SimpleTable, type Column } from '../../parts/simple-table.js';
import { t } from '../../texts.js';
import { Search } from './search.js';

/** Rows before `Show all`. */
const SHOWN = 20;

interface AccessCardProps {
  readonly model: ModelRef;
  readonly title: string;
  readonly actions: ReactNode;
  readonly columns: readonly Column<StoredObject>[];
  /** The text in which a search looks. Default: the name. */
  readonly getText?: (object: StoredObject) => string;
}

/** The objects of a model of access, with a search when there are many. */
export function AccessCard(props: AccessCardProps): ReactNode {
  const { data, error } = useAccessObjects(props.model);
  return (
    <Section title={props.title} actions={props.actions}>
      {data === undefined ? <Pending error={error} /> : <AccessRows {...props} objects={data} />}
    </Section>
  );
}

interface AccessRowsProps extends AccessCardProps {
  readonly objects: readonly StoredObject[];
}

function AccessRows({ title, columns, objects, getText = getName }: AccessRowsProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  const wanted = typed.trim().toLowerCase();
  const found = objects.filter((object) => getText(object).toLowerCase().includes(wanted));
  const shown = isWhole ? found : found.slice(0, SHOWN);
  if (objects.length === 0) return <p className="faint">{t`none`}</p>;
  return (
    <div className="stack tight">
      {objects.length > SHOWN && <Search label={t`Find in ${title}`} typed={typed} onType={setTyped} />}
      {shown.length === 0 && <p className="faint">{t`No matches.`}</p>}
      {shown.length > 0 && (
        <SimpleTable
          label={t`Table: ${title}`}
          rows={shown}
          // A confirmation does not apply to another object of the same name.
          getKey={({ metadata }) => metadata.uid ?? metadata.name}
          columns={columns}
        />
      )}
      {shown.length < found.length && (
        <button type="button" className="access-more" onClick={() => setIsWhole(true)}>
          {t`Show all ${found.length}`}
        </button>
      )}
    </div>
  );
}

function getName({ metadata }: StoredObject): string {
  return metadata.name;
}
