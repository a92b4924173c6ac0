import { createRequire } from 'node:module';
import { listCauses, ServiceError, type Cause } from '../errors.js';
import { rewordedCause, violationBehind, type Violation } from '../model/validate/violation.js';
import type { Language } from './language.js';

/** Invalid input of a request, with causes in the language that the request prefers. */
export class TranslatedError extends ServiceError {
  /** @param language of the causes' messages */
  constructor(
    subject: string,
    readonly causes: readonly Cause[],
    readonly language: Language,
  ) {
    super('BadRequest', `${subject} is invalid: ${listCauses(causes)}`, { causes });
  }
}

/** The limit of allowed values that a message lists. */
const LISTED_VALUES_MAX = 20;

/**
 * Translates causes. Only those of violated schema rules are translated; all others, and all of them for English, are unchanged.
 */
export function translateCauses(causes: readonly Cause[], language: Language): readonly Cause[] {
  if (language === 'en') return causes;
  return causes.map((cause) => {
    const violation = violationBehind(cause);
    const message = violation && findMessage(violation, language);
    return message === undefined ? cause : rewordedCause(cause, { message });
  });
}

/** True when at least one of the causes can be translated. */
export function areTranslatable(causes: readonly Cause[]): boolean {
  return causes.some((cause) => violationBehind(cause) !== undefined);
}

/** Translates the error's causes, and the list of them in its message. */
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

/** The library's function that writes messages into errors. Loaded at the first use of a language. */
function getLocalizer(language: Language): (errors: readonly object[]) => void {
  const known =
    localizers.get(language) ??
    (load(`ajv-i18n/localize/${language}`) as (errors: readonly object[]) => void);
  localizers.set(language, known);
  return known;
}

/** Lists the allowed values, because the library's message leaves them out. */
function getValues(allowed: unknown): string {
  if (!Array.isArray(allowed)) return '';
  const shown = allowed.slice(0, LISTED_VALUES_MAX).map((value) => JSON.stringify(value));
  return ` (${shown.join(', ')}${allowed.length > LISTED_VALUES_MAX ? ', ...' : ''})`;
}
