import { useState, type ReactNode } from 'react';

interface DialogButtonProps {
  readonly label: ReactNode;
  /** The name for screen readers, when it differs from the label. */
  readonly name?: string;
  readonly className?: string;
  /** False hides the button; an open dialog stays. */
  readonly isAllowed: boolean;
  readonly dialog: (onClose: () => void) => ReactNode;
}

export function DialogButton({ label, name, className, isAllowed, dialog }: DialogButtonProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      {isAllowed && (
        <button type="button" className={className} aria-label={name} onClick={() => setIsOpen(true)}>
          {label}
        </button>
      )}
      {isOpen && dialog(() => setIsOpen(false))}
    </>
  );
}
