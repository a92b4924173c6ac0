import { EXIT, EXIT_CODES } from '../../../src/cli/exit.js';
import { HTTP_STATUS, ERROR_CODES } from '../../../src/errors.js';
import { helpOf } from '../../helpers/reference.js';

/** Each reason of a failure with its HTTP status and its exit code, and what each exit code means. */
export async function errorFacts(): Promise<string[]> {
  const reasons = ERROR_CODES.map(
    (reason) => `reason ${reason}: HTTP ${HTTP_STATUS[reason]}, exit code ${EXIT_CODES[reason]}`,
  );
  const [, meanings = ''] = /^Exit codes: ([\s\S]*?)\.$/m.exec(await helpOf([])) ?? [];
  const codes = Object.values(EXIT).map((code) => {
    const found = meanings.match(new RegExp(`(?:\\w[\\w ]*: )?\\b${code} [^,;]+`, 'g')) ?? [];
    return `exit code ${code}: ${found.map((text) => text.replace(`${code} `, '')).join('; ')}`;
  });
  return [...reasons, ...codes];
}
