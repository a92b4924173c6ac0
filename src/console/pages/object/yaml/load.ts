import { parse } from 'yaml';
import { send } from '../../../api/http.js';
import { editableText } from '../../../editor/document.js';
import type { Loaded } from '../../../editor/drafts.js';

/** An object's text as the service writes it, so that numbers lose no digits. @throws ApiError, Unreachable */
export async function loadText(path: string, signal?: AbortSignal): Promise<Loaded> {
  return loadedFrom(await send(path, { signal, headers: { Accept: 'application/yaml' }, parse }));
}

/** Parses a response with an object's text. */
export async function loadedFrom(response: Response): Promise<Loaded> {
  const whole = await response.text();
  const [, revision = ''] = /^ {2}resourceVersion: ["']?(\d+)/m.exec(whole) ?? [];
  return { text: editableText(whole), tag: response.headers.get('ETag') ?? '', revision };
}
