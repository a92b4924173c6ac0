import {
  evaluate,
  follow,
  JsonPathError,
  JsonPathReader,
  looksAtRoot,
  formatText,
  type JsonPath,
  type Step,
} from './json-path.js';

/** Text with paths in braces: `{.metadata.name}{"\n"}`, `{range .items[*]}...{end}`. */
export type Template = readonly TemplateNode[];

type TemplateNode =
  | { readonly text: string }
  | { readonly path: JsonPath }
  | { readonly range: JsonPath; readonly body: Template };

/** A template that renders a list one item at a time. */
export interface ItemTemplate {
  /** Separates the texts of two items that are not empty. */
  readonly separator: string;
  /** Renders the text before the items. `head` is the list without `items`. */
  before(head: unknown): string;
  /** Empty when the template selects nothing of the item. */
  ofItem(item: unknown): string;
  after(head: unknown): string;
}

/** Separates the results of one path, as kubectl prints them. */
const SEPARATOR = ' ';

/**
 * Reads a template as kubectl does. A text without braces that begins like a path is read as a path.
 * @throws JsonPathError
 */
export function parseTemplate(text: string): Template {
  const isBarePath = !text.includes('{') && /^[.[$@]/.test(text);
  if (isBarePath) return parseTemplate(`{${text}}`);
  const reader = new JsonPathReader(text);
  const open: { readonly range: JsonPath; readonly at: number; readonly nodes: TemplateNode[] }[] = [];
  let nodes: TemplateNode[] = [];
  while (!reader.isAtEnd) {
    const plain = readPlain(reader);
    if (plain !== '') nodes.push({ text: plain });
    if (!reader.takes('{')) break;
    const start = reader.at;
    reader.skipSpaces();
    if (reader.match(/range(?=[\s.[@$])/y) !== undefined) {
      open.push({ range: reader.readPath(false), at: start, nodes });
      nodes = [];
    } else if (reader.match(/end(?=\s*\})/y) !== undefined) {
      const range = open.pop();
      if (range === undefined) throw new JsonPathError('{end} without {range}', start);
      range.nodes.push({ range: range.range, body: nodes });
      nodes = range.nodes;
    } else {
      const quoted = reader.readQuoted();
      nodes.push(quoted === undefined ? { path: reader.readPath(false) } : { text: quoted });
    }
    reader.skipSpaces();
    reader.expect('}');
  }
  const unended = open.pop();
  if (unended !== undefined) throw new JsonPathError('{range} without {end}', unended.at);
  return nodes;
}

/** Renders a template for a value. A path without results renders nothing. */
export function renderTemplate(template: Template, root: unknown, current: unknown = root): string {
  return template.map((node) => renderNode(node, root, current)).join('');
}

/**
 * Converts the template of a list to one for its items, so that the list need not be in memory. Undefined when the
 * template does not read the items exactly once, each on its own.
 */
export function perItem(template: Template): ItemTemplate | undefined {
  const at = template.findIndex((node) => stepsInItem(node) !== undefined);
  const node = template[at];
  const steps = node && stepsInItem(node);
  if (node === undefined || steps === undefined || !isLocal(node)) return undefined;
  const [before, after] = [template.slice(0, at), template.slice(at + 1)];
  if (![...before, ...after].every(isOfHead)) return undefined;
  return {
    separator: 'range' in node ? '' : SEPARATOR,
    before: (head) => renderTemplate(before, head),
    ofItem: (item) => renderValues(node, item, follow(item, [item], steps)),
    after: (head) => renderTemplate(after, head),
  };
}

function readPlain(reader: JsonPathReader): string {
  const end = reader.text.indexOf('{', reader.at);
  const plain = reader.text.slice(reader.at, end < 0 ? undefined : end);
  reader.at += plain.length;
  return plain;
}

function renderNode(node: TemplateNode, root: unknown, current: unknown): string {
  if ('text' in node) return node.text;
  return renderValues(node, root, evaluate(root, 'path' in node ? node.path : node.range, current));
}

function renderValues(node: TemplateNode, root: unknown, values: readonly unknown[]): string {
  if ('range' in node) return values.map((value) => renderTemplate(node.body, root, value)).join('');
  return values.map(formatText).join(SEPARATOR);
}

/** The steps after `.items[*]`; undefined for a node that does not begin with that. */
function stepsInItem(node: TemplateNode): readonly Step[] | undefined {
  if ('text' in node) return undefined;
  const [items, all, ...rest] = ('path' in node ? node.path : node.range).steps;
  const isItems = items !== undefined && typeof items === 'object' && 'member' in items;
  return isItems && items.member === 'items' && all === 'all' ? rest : undefined;
}

/** True when only the start of the node refers to the whole list. */
function isLocal(node: TemplateNode): boolean {
  if ('text' in node) return true;
  if ('path' in node) return !looksAtRoot({ ...node.path, fromRoot: false });
  return !looksAtRoot({ ...node.range, fromRoot: false }) && node.body.every(isLocalBody);
}

function isLocalBody(node: TemplateNode): boolean {
  if ('text' in node) return true;
  if ('path' in node) return !looksAtRoot(node.path);
  return !looksAtRoot(node.range) && node.body.every(isLocalBody);
}

/** True for text, and for a member of the list other than its items. */
function isOfHead(node: TemplateNode): boolean {
  if ('text' in node) return true;
  if ('range' in node) return false;
  const [first] = node.path.steps;
  const isMember = first !== undefined && typeof first === 'object' && 'member' in first;
  return isMember && first.path[0] !== 'items' && isLocal(node);
}
