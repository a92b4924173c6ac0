import type { ReactNode, Ref } from 'react';
import { formatCount } from '../../lib/format.js';
import { SignButton, type IconName } from '../../parts/icon.js';
import { t } from '../../texts.js';
import { useForm, type FieldProps } from '../form-state.js';
import { getLabel } from '../shape/shape.js';
import { FieldFrame } from './field-frame.js';

/** The items that are displayed at a time: each has inputs. */
export const PAGE = 20;

interface RowsFrameProps extends FieldProps {
  readonly limits?: readonly string[];
  readonly count: number;
  readonly from: number;
  readonly onPage: (from: number) => void;
  readonly adder: ReactNode;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLFieldSetElement>;
}

/** The items of a list, or the members of a map, in a column; some at a time. */
export function RowsFrame({ count, from, onPage, adder, children, ...frame }: RowsFrameProps): ReactNode {
  const { isReadOnly } = useForm();
  const label = getLabel(frame.field);
  const step = (icon: IconName, name: string, to: number): ReactNode => (
    <SignButton icon={icon} label={name} isDisabled={to < 0 || to >= count} onPress={() => onPage(to)} />
  );
  return (
    <FieldFrame
      {...frame}
      className="stack tight form-list"
      side={count > 0 && <span className="faint number"> {formatCount(count)}</span>}
    >
      {count > 0 && (
        <ol className="form-items" start={from + 1}>
          {children}
        </ol>
      )}
      <div className="row spread">
        {!isReadOnly && adder}
        {isReadOnly && count === 0 && <span className="faint">–</span>}
        {count > PAGE && (
          <span className="line faint number end">
            {step('arrow-left', t`Previous items of ${label}`, from - PAGE)}
            <span role="status">
              {t`${formatCount(from + 1)}–${formatCount(Math.min(count, from + PAGE))} of ${formatCount(count)}`}
            </span>
            {step('arrow-right', t`Next items of ${label}`, from + PAGE)}
          </span>
        )}
      </div>
    </FieldFrame>
  );
}
