/**
 * Writes src/kubernetes/data: the fields of the messages of Kubernetes that the service reads, compressed. Needs Go, whose
 * client fetches the modules. `npm run kubernetes-data`; `parseMessages` describes the format, and `-- --print` prints the lines.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { BODY_MESSAGES, INERT_BODY_MESSAGES } from './dist/kubernetes/bodies.js';

const VERSION = 'v0.37.2';
const MODULES = ['api', 'apimachinery', 'apiextensions-apiserver'];
const TARGET = path.join(import.meta.dirname, 'src/kubernetes/data');
/** Characters of a line of compressed data. */
const LINE_LENGTH = 120;

const FIELD =
  /((?:^ *\/\/.*\n|^\n)*)^ +(?:(optional|repeated) |map<(\w+), ([\w.]+)> )([\w.]+ )?(\w+) = (\d+);/gm;

/** Their only field is a text in JSON, which JSON shows alone. */
const JSON_TEXTS = /\.(RawExtension|FieldsV1|JSON)$/;

const SCALARS = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double']);

/** @type {Map<string, Message>} by their names below `k8s.io` */
const messages = new Map(MODULES.flatMap((name) => messagesBelow(download(name))));
const always = closure(BODY_MESSAGES);
const inert = [...closure(INERT_BODY_MESSAGES)].filter((name) => !always.has(name));
const [lines, inertLines] = [linesOfAll(always), linesOfAll(inert)];
writeFileSync(path.join(TARGET, 'messages.ts'), textOf(compressed(lines), compressed(inertLines)));
if (process.argv.includes('--print')) console.log([...lines, ...inertLines].join('\n'));

function linesOfAll(names) {
  return [...names].sort().flatMap((name) => linesOf(name, messages.get(name)));
}

function download(name) {
  const module = `k8s.io/${name}@${VERSION}`;
  return JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' })).Dir;
}

function messagesBelow(directory) {
  return readdirSync(directory, { recursive: true })
    .filter((file) => path.basename(file) === 'generated.proto')
    .flatMap((file) => readMessages(path.dirname(path.join(directory, file))));
}

/**
 * The messages of a package. The names in JSON, and what it leaves out, are in the tags of the Go source.
 * @returns {[string, Message][]}
 */
function readMessages(directory) {
  const text = readFileSync(path.join(directory, 'generated.proto'), 'utf8');
  const [, inPackage] = /^package k8s\.io\.(.*);$/m.exec(text);
  const tags = readTags(directory);
  const nameOf = (type) => {
    if (SCALARS.has(type)) return type;
    return type.startsWith('.k8s.io.') ? type.slice('.k8s.io.'.length) : `${inPackage}.${type}`;
  };
  return [...text.matchAll(/((?:^\/\/[^\n]*\n)*)^message (\w+) \{\n(.*?)^\}/gms)].map(
    ([, comment, message, body]) => {
      const fields = [...body.matchAll(FIELD)].map(([, notes, label, key, value, type, name, number]) => ({
        number: Number(number),
        name,
        form: key === undefined ? label : 'map',
        type: nameOf((value ?? type).trim()),
        markers: readMarkers(notes),
        tag: tags.get(message)?.get(Number(number)),
      }));
      return [
        `${inPackage}.${message}`,
        { markers: readMarkers(comment), fields, isStruct: tags.has(message) },
      ];
    },
  );
}

function readMarkers(comment) {
  const found = [...comment.matchAll(/^ *\/\/ \+(\w+)(?:=(.*))?$/gm)];
  const valuesOf = (name) => found.filter(([, one]) => one === name).map(([, , value = '']) => value);
  return { has: (name) => valuesOf(name).length > 0, get: (name) => valuesOf(name)[0], all: valuesOf };
}

/** The tags of the fields of a package's structs, by struct and number. */
function readTags(directory) {
  const files = readdirSync(directory).filter(
    (file) => /^[a-z_]+\.go$/.test(file) && !/_test\.go$/.test(file),
  );
  const text = files.map((file) => readFileSync(path.join(directory, file), 'utf8')).join('\n');
  return new Map(
    [...text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)].map(([, name, body]) => {
      const fields = [...body.matchAll(/^\s+(?:(\w+) +)?(\S+) +`(.*)`/gm)].map(([, field, type, tag]) => {
        const number = /protobuf:"\w+,(\d+),/.exec(tag)?.[1];
        const [json, ...options] = (/json:"([^"]*)"/.exec(tag)?.[1] ?? '').split(',');
        // JSON shows the members of an embedded struct without a name as those of the message.
        const isInline = json === '' && (field === undefined || options.includes('inline'));
        return [Number(number), { json, options, isInline, isPointer: type.startsWith('*') }];
      });
      return [name, new Map(fields)];
    }),
  );
}

/** All messages that the fields of some have, and these. */
function closure(names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const { fields } = messages.get(name) ?? fail(name);
    closure(
      fields.map(({ type }) => type).filter((type) => !SCALARS.has(type)),
      found,
    );
  }
  return found;
}

/** Lines of one message and its fields. */
function linesOf(name, { markers, fields, isStruct }) {
  // A list with a name in Go is a message with one field.
  const isItems = !isStruct && fields.length === 1 && fields[0].name === 'items';
  const isText = JSON_TEXTS.test(name);
  const head = [name, (isItems || isText) && 'alone', markers.get('structType')];
  const rows = isText ? [['1 raw json']] : fields.map(fieldWords);
  return [head, ...rows.sort(([a], [b]) => a - b)].map((words) => words.filter(Boolean).join(' '));
}

/** A field without a name in JSON belongs to a message whose JSON has another form: it has no flags. */
function fieldWords({ number, name, form, type, markers, tag = { json: '', options: [] } }) {
  const omits = tag.options.includes('omitempty');
  const isSingle = form === 'optional' && tag.json !== '' && !tag.isPointer;
  const isMessage = !SCALARS.has(type);
  // The option `omitempty` is without effect on structs.
  const leavesOut = isMessage ? tag.options.includes('omitzero') : omits;
  const strategy = markers.get('patchStrategy');
  const strategyKey = markers.get('patchMergeKey');
  const listType = markers.get('listType');
  return [
    number,
    tag.json || name,
    `${{ map: 'map:', repeated: 'list:', optional: '' }[form]}${type}`,
    tag.isInline && 'inline',
    isSingle && (leavesOut ? 'omitzero' : 'always'),
    tag.json !== '' && !omits && !markers.has('optional') && 'required',
    listType && `listType=${[listType, ...markers.all('listMapKey')].join(',')}`,
    markers.has('mapType') && `mapType=${markers.get('mapType')}`,
    strategy && `patch=${[strategy, strategyKey].filter(Boolean).join(':')}`,
  ];
}

function textOf(messages, inertMessages) {
  return `/*
 * Generated from k8s.io/{${MODULES.join(',')}} ${VERSION} by \`npm run kubernetes-data\`. Lines of messages
 * and their fields, in the format that message-types.ts explains, compressed with Brotli, in base64.
 */
export const MESSAGES = \`
${messages}
\`;

/** The further messages of inert kinds. */
export const INERT_MESSAGES = \`
${inertMessages}
\`;
`;
}

function compressed(rows) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  const base64 = brotliCompressSync(rows.join('\n'), { params }).toString('base64');
  return base64.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')).join('\n');
}

function fail(name) {
  throw new Error(`the modules have no message ${name}`);
}
