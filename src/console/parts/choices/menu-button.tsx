import type { ReactNode } from 'react';
import {
  Button,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  Separator,
  type ButtonProps,
  type PopoverProps,
} from 'react-aria-components';

/** The label of an entry and its action, a line between entries, or an entry that is left out. */
type MenuEntry = readonly [label: string, run: () => void] | 'line' | false;

interface MenuButtonProps
  extends Pick<ButtonProps, 'aria-label' | 'aria-describedby' | 'children'>, Pick<PopoverProps, 'placement'> {
  readonly className: string;
  readonly entries: readonly MenuEntry[];
}

export function MenuButton({ entries, placement = 'bottom', ...button }: MenuButtonProps): ReactNode {
  return (
    <MenuTrigger>
      <Button {...button} />
      <Popover className="popover" placement={placement}>
        <Menu className="menu">
          {entries.map((entry) => {
            if (entry === false) return null;
            if (entry === 'line') return <Separator key="line" />;
            const [label, run] = entry;
            return (
              <MenuItem key={label} onAction={run}>
                {label}
              </MenuItem>
            );
          })}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
