import type { ReactNode } from 'react';
import { isConflict, formatMessage, type Cause } from '../api/errors.js';
import type { Model } from '../api/models.js';
import { getPlaceTitle } from '../pages/list/fields.js';
import { ErrorNotice, Notice } from '../parts/notice.js';
import { say } from '../parts/dialogs/toasts.js';
import { t } from '../texts.js';
import type { Goal } from './places.js';
import { getCauses, type EditProblems } from './use-problems.js';

/** Reports on any page that a save failed for a reason without a field. */
export function sayFailure(error: unknown): void {
  if (isConflict(error))
    say(t`Somebody else changed this object in the meantime. Nothing was saved, and your text is kept.`);
  else if (getCauses(error).length === 0) say(t`Not saved: ${formatMessage(error)}`);
}

/** The name of an object comes first in its form. */
function isOfMetadata({ field }: Cause): boolean {
  return field.startsWith('metadata.');
}

interface ProblemsProps {
  readonly problems: EditProblems;
  readonly error: unknown;
  /** For a form, whose fields have names for people; in a text they are found by their paths. */
  readonly ofForm?: Pick<Model, 'columns' | 'schema'> | undefined;
}

/** The reasons why a text cannot be saved. Each problem links to its place. */
export function Problems({ problems: { syntax, lead }, error, ofForm }: ProblemsProps): ReactNode {
  // A former refusal does not apply to a text with syntax errors.
  const refused = syntax.length === 0 ? error : null;
  const causes = getCauses(refused).toSorted((a, b) => Number(isOfMetadata(b)) - Number(isOfMetadata(a)));
  const button = (goal: Goal, content: ReactNode): ReactNode => (
    <button type="button" className="lead" title={t`Go to it`} onClick={() => lead(goal)}>
      {content}
    </button>
  );
  return (
    <>
      {syntax.length > 0 && (
        <Notice tone="bad" title={t`This is not valid YAML:`}>
          <ul>
            {syntax.map((mark, i) => (
              <li key={i}>{button(mark, t`Line ${mark.line}: ${mark.message}`)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {causes.length > 0 && (
        <Notice tone="bad" title={t`The service refuses this:`}>
          <ul>
            {causes.map(({ field, message }, i) => (
              <li key={i}>
                {button(
                  { field },
                  <>
                    {ofForm === undefined ? <code>{field}</code> : <b>{getPlaceTitle(ofForm, field)}</b>}{' '}
                    {message}
                  </>,
                )}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {causes.length === 0 && refused !== null && (
        <ErrorNotice title={t`This could not be saved:`} error={refused} />
      )}
    </>
  );
}
