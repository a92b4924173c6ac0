import { badRequest } from '../../errors.js';

/** Limit for lines that begin or end a document, wherever they are. Empty documents between them are allowed. */
export const MARKERS_MAX = 1_000;

/** At the start of a line, whatever surrounds it: YAML allows it in no scalar. */
const MARKER = /(?<![^\r\n])(?:---|\.\.\.)(?![^ \t\r\n])/g;
/** A line with more than a comment or a directive. */
const CONTENT = /(?:^|[\r\n])(?!%)[ \t]*[^ \t\r\n#]/;

/** A text that should contain one document. */
export interface FirstDocument {
  /** The text up to the end of the first document that is not empty. */
  readonly text: string;
  /** The offset of a second document. */
  readonly second: number | undefined;
}

/**
 * Finds a second document without parsing either, so that refusing a text of many documents costs no more than
 * reading the first.
 * @param source the name of the text in messages
 * @throws ServiceError `BadRequest` for more than {@link MARKERS_MAX} markers
 */
export function firstDocument(text: string, source: string): FirstDocument {
  let end: number | undefined;
  let from = 0;
  let markers = 0;
  for (const { index } of text.matchAll(MARKER)) {
    if (CONTENT.test(text.slice(from, index))) {
      if (end !== undefined) return { text: text.slice(0, end), second: from };
      end = index;
    }
    from = index + '---'.length;
    markers += 1;
    if (markers > MARKERS_MAX) throw badRequest(`${source}: has more than ${MARKERS_MAX} document markers`);
  }
  const isLast = end === undefined || !CONTENT.test(text.slice(from));
  return isLast ? { text, second: undefined } : { text: text.slice(0, end), second: from };
}
