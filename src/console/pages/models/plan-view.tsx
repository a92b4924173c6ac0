import { Fragment, type ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import type { PlannedModel, StartPlan } from '../../api/platform/model-plans.js';
import { findTarget } from '../../api/names.js';
import { PLUGINS } from '../../api/platform/plugins.js';
import { Badge } from '../../parts/badge.js';
import { Notice } from '../../parts/notice.js';
import { formatTime } from '../../lib/format.js';
import { getList, getObject } from '../../routes/route.js';
import { t } from '../../texts.js';

const TONES = { unchanged: 'good', fits: 'plain', refused: 'attention' } as const;

interface PlanViewProps {
  readonly plan: StartPlan;
  readonly atMs: number;
}

function formatResult(result: StartPlan['result'], changed: number): string {
  if (result === 'unchanged') return t`Nothing to do.`;
  if (result === 'refused') return t`A plugin would not start, or objects would be invalid.`;
  return t`${changed} [model|models] would change; all objects are valid.`;
}

/** The effects of a start by model: those that need attention first. */
export function PlanView({ plan: { result, models, failures }, atMs }: PlanViewProps): ReactNode {
  const changed = models.filter(({ changes, problems }) => changes.length + problems.length > 0);
  const getAttention = ({ problems, warnings }: PlannedModel): number =>
    problems.length > 0 ? 2 : warnings.length > 0 ? 1 : 0;
  const inOrder = [...changed].sort((a, b) => getAttention(b) - getAttention(a));
  return (
    <div className="stack tight">
      <Notice tone={TONES[result]}>
        <strong>{formatResult(result, changed.length)}</strong>{' '}
        <span className="faint">{t`As of ${formatTime(atMs)}`}</span>
      </Notice>
      <ul className="models stack">
        {failures.map(({ plugin, message }) => (
          <li key={plugin}>
            <a href={getObject(PLUGINS, plugin)}>{plugin}</a>
            <p className="problem">{t`would not start: ${message}`}</p>
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
  // A new model has no list yet.
  const model = findTarget(group, kind);
  return (
    <li>
      <strong>{model === undefined ? plural : <a href={getList(model)}>{plural}</a>}</strong>{' '}
      <span className="faint">{t`${group === '' ? '–' : group} · plugin ${plugin} · ${objects} [object|objects]`}</span>
      <ul className="bullets">
        {changes.map((change) => (
          <li key={`${change.path} ${change.text}`}>
            {change.path !== '' && <code>{change.path}</code>} {change.text}
            {change.isTighter && <Badge word={t`stricter`} />}
          </li>
        ))}
      </ul>
      {warnings.map((warning) => (
        <p key={warning} className="attention">
          {warning}
        </p>
      ))}
      <PlannedProblems problems={problems} model={model} />
    </li>
  );
}

interface PlannedProblemsProps extends Pick<PlannedModel, 'problems'> {
  /** Undefined while it has no list. */
  readonly model: ModelRef | undefined;
}

/** The reasons why objects do not fit, each with its first examples. */
export function PlannedProblems({ problems, model }: PlannedProblemsProps): ReactNode {
  return problems.map(({ text, count, examples }) => (
    <Fragment key={text}>
      <p className="problem">{text}</p>
      <ul className="bullets">
        {examples.map(({ name, problem }) => (
          <li key={name}>
            {model === undefined ? name : <a href={getObject(model, name)}>{name}</a>}{' '}
            <span className="faint">{problem}</span>
          </li>
        ))}
        {examples.length > 0 && count > examples.length && <li>{t`and ${count - examples.length} more`}</li>}
      </ul>
    </Fragment>
  ));
}
