import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

interface DialogFrameProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Escape, or a click beside it. Absent: it stays. */
  readonly onClose?: (() => void) | undefined;
}

/** What is around everything that has to be answered before the page goes on. */
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
        <Dialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
