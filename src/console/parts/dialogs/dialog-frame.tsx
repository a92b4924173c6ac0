import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { t } from '../../texts.js';

interface DialogFrameProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Called for Escape, or a click outside. Absent: the dialog stays open. */
  readonly onClose?: (() => void) | undefined;
}

export function DialogFrame({ title, children, onClose }: DialogFrameProps): ReactNode {
  return (
    <ModalOverlay
      isOpen
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
      className="overlay"
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose?.();
      }}
    >
      <Modal className="modal">
        <Dialog className="dialog stack">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface CloseButtonProps extends Omit<Partial<DialogFrameProps>, 'title'> {
  readonly hasFocus?: boolean;
}

/** The end of a dialog that asks nothing. */
export function CloseButton({ onClose, hasFocus = false, children }: CloseButtonProps): ReactNode {
  return (
    <div className="actions">
      {children}
      <button type="button" autoFocus={hasFocus} onClick={onClose}>
        {t`Close`}
      </button>
    </div>
  );
}
