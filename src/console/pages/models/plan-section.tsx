import type { ReactNode } from 'react';
import { makePlan, MODEL_PLANS } from '../../api/platform/model-plans.js';
import { useMay } from '../../api/platform/rights.js';
import { useStoppable } from '../../lib/use-stoppable.js';
import { ErrorNotice } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { PlanView } from './plan-view.js';

/** Plans a start with the plugins on disk, for users with the right to it. */
export function PlanSection(): ReactNode {
  const mayPlan = useMay('create', MODEL_PLANS);
  const { start, stop, isRunning, result, error } = useStoppable(async (signal) => ({
    plan: await makePlan(signal),
    atMs: Date.now(),
  }));
  // One button for both actions, so that it keeps the focus.
  const button = (
    <button type="button" onClick={isRunning ? stop : start}>
      {isRunning ? t`Cancel` : t`Preview`}
    </button>
  );
  return (
    <Section title={t`Preview of a restart`} actions={mayPlan && button}>
      <p className="faint">
        {t`This loads the current plugin files in a separate process, and checks every object of a changed model. Nothing is written. It needs the new files in the plugin directories of this service, and a store in its data directory. Same as`}{' '}
        <code>xsvc model plan</code>.
      </p>
      {!mayPlan && (
        <p className="faint">{t`This needs the right to create modelplans in the group api.platform.run.`}</p>
      )}
      <p role="status" className="faint">
        {isRunning && t`Loading plugins and checking objects…`}
      </p>
      {error !== null && <ErrorNotice error={error} />}
      {result !== undefined && <PlanView {...result} />}
    </Section>
  );
}
