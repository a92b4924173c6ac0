import type { ReactNode } from 'react';
import { CloseButton, DialogFrame } from '../parts/dialogs/dialog-frame.js';
import { t } from '../texts.js';
import { KEYS } from './keys.js';

/** All keys, by the part of the page in which they work. */
export default function KeyDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const places = [...new Set(KEYS.map(({ where }) => where()))];
  return (
    <DialogFrame title={t`Keys`} onClose={onClose}>
      {places.map((place) => (
        <section key={place}>
          <h3>{place}</h3>
          <dl className="key-dialog">
            {KEYS.filter(({ where }) => where() === place).map(({ keys, what }) => (
              <div key={keys.join()} className="key-dialog-line">
                <dt>{what()}</dt>
                <dd className="key-dialog-keys">
                  {keys.map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <CloseButton onClose={onClose} />
    </DialogFrame>
  );
}
