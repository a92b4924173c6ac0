import { Suspense, use, type ReactNode } from 'react';
import { Button, DialogTrigger, OverlayTriggerStateContext, Popover } from 'react-aria-components';
import type { Model, ModelRef } from '../../../api/models.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import type { FieldFilter } from './filter.js';
import { formatFilter } from './format-filter.js';
import { getFilterField } from './operators.js';
import { withRequirements, type Requirement } from './requirements.js';

const FilterEditor = lazyPart(() => import('./editor/filter-editor.js'));

interface PopoverProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly parameters: URLSearchParams;
  readonly onChange: (parameters: URLSearchParams) => void;
}

/** Opens the editor for another condition. */
export function AddFilter(props: PopoverProps): ReactNode {
  return (
    <DialogTrigger>
      <Button className="quiet filter-popover-add">{t`+ Filter`}</Button>
      <EditorPopover {...props} filter={undefined} requirements={[]} />
    </DialogTrigger>
  );
}

interface EditFilterProps extends PopoverProps {
  readonly filter: FieldFilter;
  /** The requirements that state it now. */
  readonly requirements: readonly Requirement[];
  readonly children: ReactNode;
}

/** Opens the editor for a condition of the list. */
export function EditFilter({ children, ...props }: EditFilterProps): ReactNode {
  return (
    <DialogTrigger>
      <Button className="filter-popover-edit">{children}</Button>
      <EditorPopover {...props} />
    </DialogTrigger>
  );
}

type EditorPopoverProps = Omit<EditFilterProps, 'filter' | 'children'> & {
  readonly filter: FieldFilter | undefined;
};

function EditorPopover(props: EditorPopoverProps): ReactNode {
  return (
    <Popover className="popover filter-popover" placement="bottom start" aria-label={t`Filter`}>
      <Editor {...props} />
    </Popover>
  );
}

function Editor({ requirements, ...props }: EditorPopoverProps): ReactNode {
  const { model, parameters, onChange, filter } = props;
  const popover = use(OverlayTriggerStateContext);
  return (
    <div className="filter-popover-content">
      <Suspense fallback={<Pending error={null} />}>
        <FilterEditor
          modelRef={props.modelRef}
          model={model}
          parameters={withRequirements(parameters, requirements, [])}
          filter={filter}
          onApply={(changed) => {
            const { index } = getFilterField(model, changed.field);
            onChange(withRequirements(parameters, requirements, formatFilter(changed, index)));
            popover?.close();
          }}
        />
      </Suspense>
    </div>
  );
}
