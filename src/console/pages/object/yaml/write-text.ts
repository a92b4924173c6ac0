import { parse, parseDocument } from 'yaml';
import { isConflict } from '../../../api/errors.js';
import { send } from '../../../api/http.js';
import { PARSE } from '../../../editor/document.js';
import type { Loaded } from '../../../editor/drafts.js';
import { formatExact } from '../../../lib/exact-json.js';
import { loadText } from './load.js';

interface WriteRequest {
  readonly method: 'PUT' | 'POST';
  /** The entity tag of the state that is overwritten. */
  readonly tag?: string;
  /** Only says what would be stored. */
  readonly isDry?: boolean;
  readonly signal?: AbortSignal;
}

/** What a service takes at most, unless it was told otherwise. */
const BODY_MAX = 1_048_576;

/**
 * Sends the text of an object; unknown fields are refused. The answer is the text of what is stored.
 * @throws ApiError, Unreachable
 */
export function writeText(url: string, text: string, request: WriteRequest): Promise<Response> {
  const { method, tag, isDry = false, signal } = request;
  const isLong = new TextEncoder().encode(text).length > BODY_MAX;
  const search = new URLSearchParams({ fieldValidation: 'Strict', ...(isDry && { dryRun: 'All' }) });
  return send(`${url}?${search.toString()}`, {
    method,
    // The same object takes less room without the spaces that YAML indents lines with.
    body: isLong ? formatExact(parseDocument(text, PARSE).toJS()) : text,
    headers: {
      Accept: 'application/yaml',
      'Content-Type': isLong ? 'application/json' : 'application/yaml',
      ...(tag !== undefined && { 'If-Match': tag }),
    },
    signal,
    parse,
  });
}

/** So often controllers may write in between. */
const TRIES_MAX = 5;

/**
 * Saves a text over a state of the object. Where only controllers wrote since then, it is still the same text, and the newer
 * state is as good.
 * @throws ApiError, Unreachable
 */
export async function saveText(
  path: string,
  text: string,
  over: Loaded,
  options: Pick<WriteRequest, 'isDry' | 'signal'> = {},
): Promise<Response> {
  let { tag } = over;
  for (let tries = 1; ; tries++) {
    try {
      return await writeText(path, text, { ...options, method: 'PUT', tag });
    } catch (error) {
      if (!isConflict(error) || tries === TRIES_MAX) throw error;
      const now = await loadText(path, options.signal);
      if (now.text !== over.text) throw error;
      tag = now.tag;
    }
  }
}
