import { parseDocument } from 'yaml';
import { getPath, objectPath, type ModelRef } from '../../api/models.js';
import { findDraft, keepDraft, NOTHING } from '../../editor/drafts.js';
import { PARSE, WRITE } from '../../editor/document.js';
import { say } from '../../parts/dialogs/toasts.js';
import { formatCreateRoute } from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { loadText } from './yaml/requests.js';

const OWN = ['finalizers', 'ownerReferences', 'generateName'];

/** Opens a new object with the content of another one, and without its name. @throws ApiError, Unreachable */
export async function duplicate(model: ModelRef, name: string): Promise<void> {
  const { text } = await loadText(objectPath(model, name));
  const key = getPath(model);
  const before = findDraft(key);
  const document = parseDocument(text, PARSE);
  for (const member of OWN) document.deleteIn(['metadata', member]);
  document.setIn(['metadata', 'name'], '');
  keepDraft(key, { base: NOTHING, text: document.toString(WRITE) });
  navigate(formatCreateRoute(model, 'form'));
  if (before === undefined) return;
  say(t`The copy replaced the unsaved new object.`, { label: t`Undo`, run: () => keepDraft(key, before) });
}
