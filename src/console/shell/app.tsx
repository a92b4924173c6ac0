import { QueryClientProvider } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components';
import { useModels } from '../api/models.js';
import { queries } from '../api/queries.js';
import { language } from '../language.js';
import { useRights } from '../api/platform/rights.js';
import { useStore } from '../lib/store.js';
import { Pending } from '../parts/notice.js';
import { session } from '../session/session.js';
import { SignIn } from '../session/sign-in.js';
import { ConnectionBanner } from './connection-banner.js';
import { Shell } from './shell.js';

export function App(): ReactNode {
  const { number } = useStore(session);
  // Another language renders everything again without losing state.
  return (
    <I18nProvider locale={useStore(language)}>
      <QueryClientProvider client={queries}>
        <ConnectionBanner />
        <Door key={number} />
      </QueryClientProvider>
    </I18nProvider>
  );
}

/** The page, or the sign-in. A user who has to sign in again returns to the unchanged page. */
function Door(): ReactNode {
  const { isAsked } = useStore(session);
  const { data, error, refetch } = useModels();
  const rights = useRights();
  const [isOpen, setIsOpen] = useState(false);
  const isKnown = !isAsked && !rights.isPending && (data !== undefined || error !== null);
  if (isKnown && !isOpen) setIsOpen(true);
  if (!isOpen && !isAsked)
    return (
      <main className="alone">
        <Pending error={error} onRetry={() => void refetch()} />
      </main>
    );
  return (
    <>
      {isAsked && <SignIn />}
      {isOpen && (
        <div className="shell" hidden={isAsked} inert={isAsked}>
          <Shell />
        </div>
      )}
    </>
  );
}
