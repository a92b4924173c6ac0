import { badRequest, type ServiceError } from '../../errors.js';
import { characterAt, ExpressionFault } from '../../cel/text/fault.js';
import { parse } from '../../cel/text/parse.js';
import type { Expression } from '../../cel/text/syntax.js';

/** The error at a place in a filter; its message gives the position in characters, from 1. */
export function faultIn(text: string, at: number, reason: string): ServiceError {
  return badRequest(`filter: ${reason}, at character ${characterAt(text, at)}`);
}

/** @throws ServiceError `BadRequest` with the position, when the text is not a CEL expression */
export function parsed(text: string): Expression {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof ExpressionFault ? faultIn(text, error.at, error.reason) : error;
  }
}
