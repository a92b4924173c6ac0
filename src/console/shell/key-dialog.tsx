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
          <dl className="stack tight">
            {KEYS.filter(({ where }) => where() === place).map(({ keys, what }) => (
              <div key={keys.join()} className="line spread">
                <dt>{what()}</dt>
                <dd className="actions">
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
