import { useEffect, useState, type ReactNode } from 'react';
import { Dialog, DialogTrigger, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from 'react-aria-components';
import { Icon } from '../../parts/icon.js';
import { formatRoute, type Route } from '../../routes/route.js';
import { t } from '../../texts.js';
import { Side } from './side.js';

/** A button that opens the side over the page, where there is no space for both. A navigation closes it. */
export function SideDrawer({ route }: { readonly route: Route }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const place = formatRoute(route);
  useEffect(() => setIsOpen(false), [place]);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
      <Button className="side-button button quiet" aria-label={t`Navigation`}>
        <Icon name="menu" />
      </Button>
      <ModalOverlay isDismissable className="side-overlay">
        <Modal className="slides side-drawer">
          <Dialog className="side-dialog" aria-label={t`Navigation`}>
            <Side route={route} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
