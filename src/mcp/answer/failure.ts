import { HTTP_STATUS, formatExcerpt, shortPath, type Cause, type ServiceError } from '../../errors.js';

const CAUSES_MAX = 100;
const MESSAGE_LENGTH_MAX = 8_000;
const CAUSE_LENGTH_MAX = 400;

/** An error as the result of a call. */
export interface FailureAnswer {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly Cause[];
}

export function failureAnswer({ code, message, details: { causes = [] } }: ServiceError): FailureAnswer {
  return {
    code: HTTP_STATUS[code],
    reason: code,
    message: formatExcerpt(message, MESSAGE_LENGTH_MAX),
    causes: causes.slice(0, CAUSES_MAX).map(({ field, reason, message: text }) => ({
      field: shortPath(field),
      reason,
      message: formatExcerpt(text, CAUSE_LENGTH_MAX),
    })),
  };
}

/** The error for a reader: the message, then the causes that it does not repeat. */
export function failureText({ code, reason, message, causes }: FailureAnswer): string {
  const others = causes.filter((cause) => !message.includes(cause.message));
  return [
    `${message} (${code} ${reason})`,
    ...others.map(({ field, message: text }) => `- ${field}: ${text}`),
  ].join('\n');
}
