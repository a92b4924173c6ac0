import { Suspense, type ReactNode } from 'react';
import { Button, DialogTrigger, Popover, type PopoverProps } from 'react-aria-components';
import { Pending } from '../../parts/notice.js';

interface ListPopoverProps {
  readonly label: ReactNode;
  readonly className: string;
  /** The name of the opened part. */
  readonly name: string;
  readonly placement: NonNullable<PopoverProps['placement']>;
  /** May be loaded at its first use. */
  readonly children: ReactNode;
}

/** A button that opens inputs over the list. */
export function ListPopover({ label, className, name, placement, children }: ListPopoverProps): ReactNode {
  return (
    <DialogTrigger>
      <Button className={className}>{label}</Button>
      <Popover className="popover list-popover" placement={placement} aria-label={name}>
        <Suspense fallback={<Pending error={null} />}>{children}</Suspense>
      </Popover>
    </DialogTrigger>
  );
}
