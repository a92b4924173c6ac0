import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ServiceError } from '../../errors.js';
import { applyMergePatch } from '../../lib/json/merge-patch.js';
import { isRecord } from '../../lib/json/json.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { Subresource, Verbs, WriteOptions, WriteResult } from '../../service/verbs.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { shownName } from '../remote/namespaces.js';
import { failureLines } from '../output/failure.js';
import { escapeControls } from '../../lib/escape-controls.js';
import {
  findChanges,
  getEditablePart,
  formatEdited,
  parseEdited,
  withComment,
  withoutComment,
  type EditFormat,
} from './buffer.js';

export interface EditRequest {
  readonly resource: Resource;
  readonly name: string;
  /** Undefined when there is none; then only the object is read. */
  readonly editor: string | undefined;
  readonly format: EditFormat;
  readonly options: WriteOptions;
  readonly subresource: Subresource;
}

/** The end of editing. A file that is kept contains the user's unsaved text; no file is kept without one. */
export type EditEnd =
  | { readonly outcome: 'edited'; readonly result: WriteResult }
  | { readonly outcome: 'cancelled'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: unknown; readonly kept: string | undefined };

const HEAD = [
  'Edit the object below, save, and close the editor. Lines that begin with "#" are ignored.',
  'Saving without a change, or an empty text, cancels.',
];

/** The user's text, and its origin. */
interface Buffer {
  readonly file: string;
  readonly live: ExtensionObject;
  readonly shown: Record<string, unknown>;
  /** The text without the comment. */
  readonly text: string;
  /** The reason why the text is opened again; undefined the first time. */
  readonly problem: Problem | undefined;
}

interface Problem {
  readonly error: unknown;
  readonly lines: readonly string[];
  /** True when the text may be valid without a change. */
  readonly mayStay: boolean;
}

/**
 * Lets the user edit an object until it is stored or cancelled. A refused text is opened again with the reasons in it. When another
 * writer changed the object meanwhile, the user's changes are opened again on the newer state.
 * @throws ServiceError when the object cannot be read; UsageError without an editor
 */
export async function editObject(verbs: Verbs, request: EditRequest, io: CliIo): Promise<EditEnd> {
  const { resource, name, format } = request;
  const live = await verbs.get(resource, name);
  const { editor } = request;
  if (editor === undefined)
    throw new UsageError(
      'edit needs a terminal for vi; set XSVC_EDITOR or EDITOR to a command that needs none, or use xsvc patch',
    );
  const directory = await mkdtemp(path.resolve(io.cwd, io.env.TMPDIR ?? tmpdir(), 'xsvc-edit-'));
  // The name of an object is not a path: it has only letters, digits and "-".
  const file = path.join(directory, `${resource.plural}-${shownName(name)}.${format}`);
  const shown = getEditablePart(live);
  let buffer: Buffer = { file, live, shown, text: formatEdited(shown, format), problem: undefined };
  for (;;) {
    const step = await editOnce(verbs, { ...request, editor }, buffer, io);
    if ('outcome' in step) {
      if (step.outcome !== 'failed' || step.kept === undefined)
        await rm(directory, { recursive: true, force: true });
      return step;
    }
    buffer = step;
  }
}

type EditTurn = EditRequest & { readonly editor: string };

async function editOnce(
  verbs: Verbs,
  request: EditTurn,
  buffer: Buffer,
  io: CliIo,
): Promise<EditEnd | Buffer> {
  const { file, live, shown, problem } = buffer;
  await writeFile(file, withComment([...HEAD, ...(problem?.lines ?? []), ''], buffer.text), { mode: 0o600 });
  const code = await io.edit(request.editor, file);
  const text = withoutComment(await readFile(file, 'utf8'));
  if (code !== 0) {
    const isWritten = problem !== undefined || text !== buffer.text;
    const error = new Error(editorFault(request.editor, code));
    return { outcome: 'failed', error, kept: isWritten ? file : undefined };
  }
  if (text.trim() === '') return { outcome: 'cancelled', reason: 'the text is empty' };
  if (text.trim() === buffer.text.trim() && problem?.mayStay !== true) {
    if (problem === undefined) return { outcome: 'cancelled', reason: 'nothing was changed' };
    return { outcome: 'failed', error: problem.error, kept: file };
  }
  let patch: Record<string, unknown> | undefined;
  try {
    patch = findChanges(shown, parseEdited(text), live);
    if (patch === undefined) return { outcome: 'cancelled', reason: 'nothing was changed' };
    return { outcome: 'edited', result: await store(verbs, request, patch, live) };
  } catch (error) {
    if (!(error instanceof ServiceError) || !canBeMended(error))
      return { outcome: 'failed', error, kept: file };
    const refused = { ...buffer, text, problem: { error, lines: refusalLines(error), mayStay: false } };
    if (error.code !== 'Conflict' || patch === undefined) return refused;
    return (await rebased(verbs, request, patch, { error, before: buffer })) ?? refused;
  }
}

/** Writes on the edited state: changes of others must not be lost. */
function store(
  verbs: Verbs,
  { resource, name, options, subresource }: EditRequest,
  patch: Record<string, unknown>,
  { metadata }: ExtensionObject,
): Promise<WriteResult> {
  const { resourceVersion } = metadata;
  const stated = isRecord(patch.metadata) ? patch.metadata : {};
  const locked = { ...patch, metadata: { ...stated, resourceVersion } };
  return verbs.patch(resource, name, locked, 'merge', options, subresource);
}

/** The user's changes on the newer state; undefined when it does not exist, or the user's own lock causes the conflict. */
async function rebased(
  verbs: Verbs,
  { resource, name, format }: EditRequest,
  patch: Record<string, unknown>,
  { error, before }: { readonly error: ServiceError; readonly before: Buffer },
): Promise<EditEnd | Buffer | undefined> {
  const { file } = before;
  const [live] = await verbs.getMany(resource, [name]);
  if (live === undefined) return { outcome: 'failed', error, kept: file };
  if (live.metadata.resourceVersion === before.live.metadata.resourceVersion) return undefined;
  const shown = getEditablePart(live);
  const text = formatEdited(applyMergePatch(shown, patch), format);
  const lines = [
    '',
    'Another user changed the object meanwhile. Your changes are below, applied to the newer state:',
    'save to store them. An empty text cancels.',
  ];
  return { file, live, shown, text, problem: { error, lines, mayStay: true } };
}

function refusalLines(error: ServiceError): string[] {
  return ['', 'The object was rejected:', ...failureLines(error).map((line) => `  ${escapeControls(line)}`)];
}

/** True when another text might be accepted. */
function canBeMended({ code }: ServiceError): boolean {
  return ['BadRequest', 'Invalid', 'AlreadyExists', 'Conflict', 'RequestEntityTooLarge'].includes(code);
}

function editorFault(editor: string, code: number): string {
  const hint = code === 127 ? ': command not found; set XSVC_EDITOR or EDITOR' : '';
  return `the editor ${editor} ended with code ${code}${hint}`;
}
