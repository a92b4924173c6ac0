import type { ReactNode } from 'react';
import { useMay } from '../../api/platform/rights.js';
import { useEnable } from '../../api/platform/use-enable.js';
import { WEBHOOKS, WEBHOOKS_KEY, type Webhook } from '../../api/platform/webhooks.js';
import { ErrorLine } from '../../parts/notice.js';
import { t } from '../../texts.js';

/** Lets a webhook send, or stops it. Nothing is lost, so it does not ask. */
export function WebhookSwitch({ webhook: { name, isEnabled } }: { readonly webhook: Webhook }): ReactNode {
  const isAllowed = useMay('patch', WEBHOOKS, name);
  const { mutate, isPending, error } = useEnable(WEBHOOKS, name, WEBHOOKS_KEY);
  if (!isAllowed) return null;
  return (
    <>
      <button type="button" disabled={isPending} onClick={() => mutate(!isEnabled)}>
        {isEnabled ? t`Disable` : t`Enable`}
      </button>
      <ErrorLine error={error} />
    </>
  );
}
