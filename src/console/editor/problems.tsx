import type { ReactNode } from 'react';
import { ApiError, isConflict, formatMessage, type Cause } from '../api/errors.js';
import { ErrorNotice, Notice } from '../parts/notice.js';
import { say } from '../parts/dialogs/toasts.js';
import { t } from '../texts.js';
import { fieldPlaces } from './field-places.js';
import type { Goal, Mark } from './places.js';

/** Always the same, because forms are rendered again for others. */
const NONE: readonly Cause[] = [];

/** The errors of fields from the service. */
export function getCauses(error: unknown): readonly Cause[] {
  return error instanceof ApiError ? error.causes : NONE;
}

/** The lines of a refusal's causes. */
export function getMarks(error: unknown, content: string): readonly Mark[] {
  const causes = getCauses(error);
  if (causes.length === 0) return [];
  const getPlace = fieldPlaces(content);
  return causes.map(({ field, message }) => ({ ...getPlace(field), message: `${field}: ${message}` }));
}

/** Reports on any page that a save failed for a reason without a field. */
export function sayFailure(error: unknown): void {
  if (isConflict(error))
    say(t`Somebody else changed this object in the meantime. Nothing was saved, and your text is kept.`);
  else if (getCauses(error).length === 0) say(t`Not saved: ${formatMessage(error)}`);
}

interface ProblemsProps {
  readonly syntax: readonly Mark[];
  readonly error: unknown;
  /** Called with the target when the user follows a problem. */
  readonly onLead: (goal: Goal) => void;
}

/** The reasons why a text cannot be saved. Each problem links to its place. */
export function Problems({ syntax, error, onLead }: ProblemsProps): ReactNode {
  // A former refusal does not apply to a text with syntax errors.
  const refused = syntax.length === 0 ? error : null;
  const causes = getCauses(refused);
  return (
    <>
      {syntax.length > 0 && (
        <Notice tone="bad" title={t`This is not valid YAML:`}>
          <ul>
            {syntax.map((mark, i) => (
              <li key={i}>
                <Lead onPress={() => onLead(mark)}>{t`Line ${mark.line}: ${mark.message}`}</Lead>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {causes.length > 0 && (
        <Notice tone="bad" title={t`The service refuses this:`}>
          <ul>
            {causes.map(({ field, message }, i) => (
              <li key={i}>
                <Lead onPress={() => onLead({ field })}>
                  <code>{field}</code> {message}
                </Lead>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {causes.length === 0 && refused !== null && refused !== undefined && (
        <ErrorNotice title={t`This could not be saved:`} error={refused} />
      )}
    </>
  );
}

interface LeadProps {
  readonly onPress: () => void;
  readonly children: ReactNode;
}

function Lead({ onPress, children }: LeadProps): ReactNode {
  return (
    <button type="button" className="lead" title={t`Go to it`} onClick={onPress}>
      {children}
    </button>
  );
}
