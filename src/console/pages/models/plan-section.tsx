import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { makePlan, MODEL_PLANS } from '../../api/platform/model-plans.js';
import { useMay } from '../../api/platform/rights.js';
import { ErrorNotice } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { text } from '../../texts.js';
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
  const { plan } = text.models;
  // One button for both actions, so that it keeps the focus.
  const button = isPending ? (
    <button type="button" onClick={() => stop.current.abort()}>
      {text.cancel}
    </button>
  ) : (
    <button type="button" onClick={() => mutate()}>
      {plan.find}
    </button>
  );
  return (
    <Section title={plan.heading} actions={mayPlan ? button : undefined}>
      <p className="faint">
        {plan.hint} <code>xsvc model plan</code>.
      </p>
      {!mayPlan && <p className="faint">{plan.mayNot}</p>}
      <p role="status" className="faint">
        {isPending && plan.running}
      </p>
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && <PlanView plan={data.plan} atMs={data.atMs} />}
    </Section>
  );
}
