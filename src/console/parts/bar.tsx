import type { ReactNode } from 'react';

/** A share as a bar, next to its number. @param share from 0 to 1 */
export function Bar({ share }: { readonly share: number }): ReactNode {
  return (
    <svg className="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect className="bar-whole" width="100" height="1" />
      <rect className="bar-part" width={share <= 0 ? 0 : Math.max(1, share * 100)} height="1" />
    </svg>
  );
}
