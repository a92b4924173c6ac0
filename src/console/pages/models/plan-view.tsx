import type { ReactNode } from 'react';
import type { PlannedModel, PlannedProblem, StartPlan } from '../../api/platform/model-plans.js';
import type { Model } from '../../api/models.js';
import { findTarget } from '../../api/names.js';
import { PLUGINS } from '../../api/platform/plugins.js';
import { Badge } from '../../parts/badge.js';
import { Notice } from '../../parts/notice.js';
import { formatTime } from '../../lib/format.js';
import { getList, getObject } from '../../routes/route.js';
import { text } from '../../texts.js';

const TONES = { unchanged: 'good', fits: 'plain', refused: 'attention' } as const;

interface PlanViewProps {
  readonly plan: StartPlan;
  /** The time of the plan. */
  readonly atMs: number;
}

/** The effects of a start by model: those that need attention first. */
export function PlanView({ plan: { result, models, failures }, atMs }: PlanViewProps): ReactNode {
  const { plan } = text.models;
  const changed = models.filter(({ changes, problems }) => changes.length + problems.length > 0);
  const getAttention = ({ problems, warnings }: PlannedModel): number =>
    problems.length > 0 ? 2 : warnings.length > 0 ? 1 : 0;
  const inOrder = [...changed].sort((a, b) => getAttention(b) - getAttention(a));
  return (
    <div className="planning">
      <Notice tone={TONES[result]}>
        <strong>{result === 'fits' ? plan.fits(changed.length) : plan[result]}</strong>{' '}
        <span className="faint">{plan.foundAt(formatTime(atMs))}</span>
      </Notice>
      <ul className="planned-models">
        {failures.map(({ plugin, message }) => (
          <li key={plugin}>
            <a href={getObject(PLUGINS, plugin)}>{plugin}</a>
            <p className="problem">{plan.failed(message)}</p>
          </li>
        ))}
        {inOrder.map((one) => (
          <PlannedModelView key={`${one.group} ${one.kind}`} planned={one} />
        ))}
      </ul>
    </div>
  );
}

function PlannedModelView({ planned }: { readonly planned: PlannedModel }): ReactNode {
  const { group, kind, plural, plugin, objects, changes, warnings, problems } = planned;
  const { plan } = text.models;
  // A new model has no list yet.
  const model = findTarget(group, kind);
  return (
    <li>
      <strong>{model === undefined ? plural : <a href={getList(model)}>{plural}</a>}</strong>{' '}
      <span className="faint">{plan.of(group === '' ? text.none : group, plugin, objects)}</span>
      <ul>
        {changes.map((change) => (
          <li key={`${change.path} ${change.text}`}>
            {change.path !== '' && <code>{change.path}</code>} {change.text}
            {change.isTighter && <Badge word={plan.stricter} />}
          </li>
        ))}
      </ul>
      {warnings.map((warning) => (
        <p key={warning} className="attention">
          {warning}
        </p>
      ))}
      {problems.map((problem) => (
        <ProblemView key={problem.text} problem={problem} model={model} />
      ))}
    </li>
  );
}

interface ProblemViewProps {
  readonly problem: PlannedProblem;
  readonly model: Model | undefined;
}

function ProblemView({ problem: { text: what, count, examples }, model }: ProblemViewProps): ReactNode {
  return (
    <>
      <p className="problem">{what}</p>
      <ul>
        {examples.map(({ name, problem }) => (
          <li key={name}>
            {model === undefined ? name : <a href={getObject(model, name)}>{name}</a>}{' '}
            <span className="faint">{problem}</span>
          </li>
        ))}
        {examples.length > 0 && count > examples.length && (
          <li>{text.models.plan.more(count - examples.length)}</li>
        )}
      </ul>
    </>
  );
}
