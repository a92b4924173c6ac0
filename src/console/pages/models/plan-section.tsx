import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { makePlan, MODEL_PLANS } from '../../api/platform/model-plans.js';
import { useMay } from '../../api/platform/rights.js';
import { ErrorNotice } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { PlanView } from './plan-view.js';

/** Plans a start with the plugins on disk, for users with the right to it. */
export function PlanSection(): ReactNode {
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const mayPlan = useMay('create', MODEL_PLANS);
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: async () => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      try {
        return { plan: await makePlan(signal), atMs: Date.now() };
      } catch (failure) {
        if (signal.aborted) return undefined;
        throw failure;
      }
    },
  });
  // One button for both actions, so that it keeps the focus.
  const button = isPending ? (
    <button type="button" onClick={() => stop.current.abort()}>
      {t`Cancel`}
    </button>
  ) : (
    <button type="button" onClick={() => mutate()}>
      {t`Preview`}
    </button>
  );
  return (
    <Section title={t`Preview of a restart`} actions={mayPlan ? button : undefined}>
      <p className="faint">
        {t`This loads the current plugin files in a separate process, and checks every object of a changed model. Nothing is written. It needs the new files in the plugin directories of this service, and a store in its data directory. Same as`}{' '}
        <code>xsvc model plan</code>.
      </p>
      {!mayPlan && (
        <p className="faint">{t`This needs the right to create modelplans in the group api.platform.run.`}</p>
      )}
      <p role="status" className="faint">
        {isPending && t`Loading plugins and checking objects…`}
      </p>
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && <PlanView plan={data.plan} atMs={data.atMs} />}
    </Section>
  );
}
