import { createRequire } from 'node:module';
import { listCauses, ServiceError, type Cause } from '../errors.js';
import { rewordedCause, violationBehind, type Violation } from '../model/validate/violation.js';
import type { Language } from './language.js';

/** At most so many allowed values are listed in a message. */
const LISTED_VALUES_MAX = 20;

/**
 * The causes in a language. Those that broken schema rules made are translated; others, and all of them for
 * English, are left as they are.
 */
export function translateCauses(causes: readonly Cause[], language: Language): readonly Cause[] {
  if (language === 'en') return causes;
  return causes.map((cause) => {
    const violation = violationBehind(cause);
    const message = violation && findMessage(violation, language);
    return message === undefined ? cause : rewordedCause(cause, { message });
  });
}

/** Whether any of the causes can be told in other languages. */
export function areTranslatable(causes: readonly Cause[]): boolean {
  return causes.some((cause) => violationBehind(cause) !== undefined);
}

/** The error with its causes, and the list of them in its message, in a language. */
export function translateError(error: ServiceError, language: Language): ServiceError {
  const { causes = [] } = error.details;
  const translated = translateCauses(causes, language);
  const list = listCauses(causes);
  const message = error.message.endsWith(list)
    ? error.message.slice(0, -list.length) + listCauses(translated)
    : error.message;
  return new ServiceError(error.code, message, { ...error.details, causes: translated }, { cause: error });
}

/** Undefined when the library has no text for the keyword. */
function findMessage({ keyword, params }: Violation, language: Language): string | undefined {
  const localize = getLocalizer(language);
  const error: Record<string, unknown> = { keyword, params, instancePath: '', schemaPath: '' };
  localize([error]);
  if (typeof error.message !== 'string') return undefined;
  return error.message + getValues(params.allowedValues);
}

const load = createRequire(import.meta.url);
const localizers = new Map<Language, (errors: readonly object[]) => void>();

/** The library's function that writes messages into errors. Loaded when a language is first asked for. */
function getLocalizer(language: Language): (errors: readonly object[]) => void {
  const known =
    localizers.get(language) ??
    (load(`ajv-i18n/localize/${language}`) as (errors: readonly object[]) => void);
  localizers.set(language, known);
  return known;
}

/** The library says that a value is not allowed, but not which ones are. */
function getValues(allowed: unknown): string {
  if (!Array.isArray(allowed)) return '';
  const shown = allowed.slice(0, LISTED_VALUES_MAX).map((value) => JSON.stringify(value));
  return ` (${shown.join(', ')}${allowed.length > LISTED_VALUES_MAX ? ', ...' : ''})`;
}
