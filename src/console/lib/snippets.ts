/** Requests of a program for what a page shows. */
export interface Snippets {
  readonly curl: string;
  /** With the client for programs. */
  readonly client: string;
  readonly watch: string;
}

/** The objects that a page shows. */
interface SnippetSubject {
  /** The origin of the service. */
  readonly server: string;
  readonly path: string;
  /** `<plural>.<version>.<group>`. */
  readonly model: string;
  /** One object; undefined for a list. */
  readonly name?: string;
  /** Those of the list in the API. */
  readonly parameters?: URLSearchParams;
}

/** Parameters that the client takes as numbers. */
const NUMBERS = ['page', 'size', 'limit'];
/** Parameters of a watch; the others are only for lists. */
const WATCHED = ['labelSelector', 'fieldSelector', 'filter'];

/** The same requests with curl and with `xsvc/client`. The token is in the environment, never in the text. */
export function getSnippets({
  server,
  path,
  model,
  name,
  parameters = new URLSearchParams(),
}: SnippetSubject): Snippets {
  const watched = new URLSearchParams([...parameters].filter(([key]) => WATCHED.includes(key)));
  if (name !== undefined) watched.set('fieldSelector', `metadata.name=${name}`);
  const objects = `client.model(${quote(model)})`;
  const call = name === undefined ? `list(${formatOptions(parameters)})` : `get(${quote(name)})`;
  const result = name === undefined ? '{ items, total }' : 'object';
  const shown = name === undefined ? 'total, items' : 'object';
  return {
    curl: formatCurl(
      urlOf(server, name === undefined ? path : `${path}/${encodeURIComponent(name)}`, parameters),
    ),
    client: [
      ...opening(server),
      '',
      `const ${result} = await ${objects}.${call};`,
      `console.log(${shown});`,
      '',
    ].join('\n'),
    watch: [
      ...opening(server),
      '',
      `for await (const { type, object } of ${objects}.watch(${formatOptions(watched)}))`,
      `  console.log(type, object?.metadata.name);`,
      '',
    ].join('\n'),
  };
}

function urlOf(server: string, path: string, parameters: URLSearchParams): string {
  const search = parameters.toString();
  return `${server}${path}${search === '' ? '' : `?${search}`}`;
}

function formatCurl(url: string): string {
  return `curl -H "Authorization: Bearer $XSVC_TOKEN" \\\n  ${inShell(url)}\n`;
}

function opening(server: string): readonly string[] {
  return [
    `import { createClient } from 'xsvc/client';`,
    '',
    `const client = createClient({ server: ${quote(server)}, token: process.env.XSVC_TOKEN });`,
  ];
}

/** The options of a call; empty without any. A repeated parameter is an array. */
function formatOptions(parameters: URLSearchParams): string {
  const names = [...new Set(parameters.keys())];
  if (names.length === 0) return '';
  const lines = names.map((name) => `  ${name}: ${formatOption(name, parameters.getAll(name))},`);
  return `{\n${lines.join('\n')}\n}`;
}

function formatOption(name: string, values: readonly string[]): string {
  const [first = ''] = values;
  if (NUMBERS.includes(name) && /^\d+$/.test(first)) return first;
  return values.length > 1 ? `[${values.map(quote).join(', ')}]` : quote(first);
}

/** A text of JavaScript, on one line. */
export function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  // Line separators of Unicode end a line in some tools.
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** A word of a POSIX shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
