import type { Resource } from '../../model/resource.js';
import { declareModels } from './declared.js';
import { readShapes, type NamedShape, type TypeShape, type ShapeMember } from './shapes.js';

const HEAD = `"""Types of the models of a service, written by \`xsvc types\`. Python 3.11 or later."""

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar, Union

T = TypeVar("T")`;

const PAGE = `# The metadata of a page of objects.
PageMetadata = TypedDict("PageMetadata", {
    "resourceVersion": str,
    "continue": NotRequired[str],
    "remainingItemCount": NotRequired[int],
})


# A page of objects of one model.
class Page(TypedDict, Generic[T]):
    metadata: PageMetadata
    page: int
    size: int
    total: int
    totalPages: int
    items: list[T]
    facets: NotRequired[dict[str, list[dict[str, Any]]]]
    groups: NotRequired[list[dict[str, Any]]]
    groupsTotal: NotRequired[int]
    included: NotRequired[dict[str, dict[str, Any]]]`;

const RESERVED = [
  'Any',
  'Generic',
  'Literal',
  'NotRequired',
  'TypedDict',
  'TypeVar',
  'Union',
  'T',
  'Page',
  'PageMetadata',
  'None',
  'True',
  'False',
];

const KEYWORDS = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal ' +
    'not or pass raise return try while with yield None True False'
  ).split(' '),
);

/** Python types of models, one \`TypedDict\` for each object type. The same models give the same text. */
export function emitPython(models: readonly Resource[]): string {
  const shapes = readShapes(declareModels(models, RESERVED));
  return `${[HEAD, PAGE, ...shapes.map(declaration)].join('\n\n\n')}\n`;
}

function declaration({ name, comment, members, shape }: NamedShape): string {
  const head = comments(comment, '');
  if (members === undefined) {
    // A name alone would be a text.
    const text = typeText(shape ?? { is: 'any' });
    return `${head}${name} = ${text.startsWith('"') ? `Union[${text}]` : text}`;
  }
  if (members.every((member) => isIdentifier(member.name)))
    return `${head}class ${name}(TypedDict):\n${members.map((member) => `${comments(member.comment, INDENT)}${INDENT}${member.name}: ${memberType(member)}`).join('\n')}`;
  // Members with other names are only possible in the form of a call.
  const lines = members.map(
    (member) => `${comments(member.comment, INDENT)}${INDENT}${literal(member.name)}: ${memberType(member)},`,
  );
  return `${head}${name} = TypedDict("${name}", {\n${lines.join('\n')}\n})`;
}

const INDENT = '    ';

/** Names with two underscores in front are changed within a class. */
function isIdentifier(name: string): boolean {
  return /^(?!__)[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);
}

function memberType({ shape, isRequired }: ShapeMember): string {
  return isRequired ? typeText(shape) : `NotRequired[${typeText(shape)}]`;
}

/** Names are in quotes, because a type may be declared later. */
function typeText(shape: TypeShape): string {
  switch (shape.is) {
    case 'literals':
      return `Literal[${shape.values.map(literal).join(', ')}]`;
    case 'list':
      return `list[${typeText(shape.of)}]`;
    case 'map':
      return `dict[str, ${typeText(shape.of)}]`;
    case 'union':
      return `Union[${shape.of.map(typeText).join(', ')}]`;
    case 'named':
      return `"${shape.name}"`;
    default:
      return SIMPLE[shape.is];
  }
}

const SIMPLE = {
  any: 'Any',
  string: 'str',
  boolean: 'bool',
  integer: 'int',
  number: 'float',
  null: 'None',
} as const;

function literal(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

function comments(lines: readonly string[], indent: string): string {
  return lines.map((line) => `${indent}# ${line}`.trimEnd() + '\n').join('');
}
