import { parse, parseDocument } from 'yaml';
import { isConflict } from '../../../api/errors.js';
import { send } from '../../../api/http.js';
import { editableText, PARSE } from '../../../editor/document.js';
import type { Loaded } from '../../../editor/drafts.js';
import { formatExact } from '../../../lib/exact-json.js';

/** An object's text as the service writes it, so that numbers lose no digits. @throws ApiError, Unreachable */
export async function loadText(path: string, signal?: AbortSignal): Promise<Loaded> {
  return loadedFrom(await send(path, { signal, headers: { Accept: 'application/yaml' }, parse }));
}

export async function loadedFrom(response: Response): Promise<Loaded> {
  const whole = await response.text();
  const [, revision = ''] = /^ {2}resourceVersion: ["']?(\d+)/m.exec(whole) ?? [];
  return { text: editableText(whole), tag: response.headers.get('ETag') ?? '', revision };
}

interface SaveOptions {
  /** True to only return the result without storing it. */
  readonly isDry?: boolean;
  readonly signal?: AbortSignal;
}

/** The default limit of a request body. */
const BODY_MAX = 1_048_576;
/** The limit of attempts when controllers write in between. */
const TRIES_MAX = 5;

/**
 * Saves a text over a state of the object, or creates the object without one; unknown fields are refused. When only controllers wrote
 * since then, the text is still the same, and the newer state is overwritten. The response is the text of the stored object.
 * @throws ApiError, Unreachable
 */
export async function saveText(
  path: string,
  text: string,
  over: Loaded | undefined,
  { isDry = false, signal }: SaveOptions = {},
): Promise<Response> {
  const isLong = new TextEncoder().encode(text).length > BODY_MAX;
  const search = new URLSearchParams({ fieldValidation: 'Strict', ...(isDry && { dryRun: 'All' }) });
  const url = over === undefined ? path.replace(/\/[^/]+$/, '') : path;
  const write = (tag: string | undefined): Promise<Response> =>
    send(`${url}?${search.toString()}`, {
      method: over === undefined ? 'POST' : 'PUT',
      // JSON is shorter, because it has no indentation.
      body: isLong ? formatExact(parseDocument(text, PARSE).toJS()) : text,
      headers: {
        Accept: 'application/yaml',
        'Content-Type': isLong ? 'application/json' : 'application/yaml',
        ...(tag !== undefined && { 'If-Match': tag }),
      },
      signal,
      parse,
    });
  for (let tag = over?.tag, tries = 1; ; tries++) {
    try {
      return await write(tag);
    } catch (error) {
      if (over === undefined || !isConflict(error) || tries === TRIES_MAX) throw error;
      const now = await loadText(path, signal);
      if (now.text !== over.text) throw error;
      tag = now.tag;
    }
  }
}
