import { use, type ReactNode } from 'react';
import { OverlayTriggerStateContext } from 'react-aria-components';
import { lazyPart } from '../../../parts/lazy-part.js';
import { t } from '../../../texts.js';
import { ListContext, useListState } from '../list-context.js';
import { ListPopover } from '../list-popover.js';
import type { FieldFilter } from './filter.js';
import { formatFilter } from './format-filter.js';
import { getFilterField } from './operators.js';
import { withRequirements, type Requirement } from './requirements.js';

const FilterEditor = lazyPart(() => import('./filter-editor.js'));

interface EditorProps {
  /** Undefined for a new condition. */
  readonly filter?: FieldFilter | undefined;
  /** The requirements that state the condition now. */
  readonly requirements?: readonly Requirement[];
}

interface FilterPopoverProps extends EditorProps {
  readonly label: ReactNode;
  readonly className: string;
}

/** Opens the editor of a condition. */
export function FilterPopover({ label, className, ...editor }: FilterPopoverProps): ReactNode {
  return (
    <ListPopover label={label} className={className} name={t`Filter`} placement="bottom start">
      <Editor {...editor} />
    </ListPopover>
  );
}

function Editor({ filter, requirements = [] }: EditorProps): ReactNode {
  const list = useListState();
  const { model, parameters, onChange } = list;
  const popover = use(OverlayTriggerStateContext);
  // The values are counted among the objects of the other conditions.
  const others = { ...list, parameters: withRequirements(parameters, requirements, []) };
  return (
    <ListContext value={others}>
      <FilterEditor
        filter={filter}
        onApply={(changed) => {
          const { index } = getFilterField(model, changed.field);
          onChange(withRequirements(parameters, requirements, formatFilter(changed, index)));
          popover?.close();
        }}
      />
    </ListContext>
  );
}
