import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { Fragment, useMemo, type ReactNode } from 'react';
import { findLink } from '../../lib/links.js';
import { getBegin } from '../../parts/long-text.js';
import { OutsideLink } from '../../parts/linked-text.js';
import { t } from '../../texts.js';

/** A longer text is shown in part. */
const LENGTH_MAX = 100_000;
/** Parts that are nested deeper are shown as they are written. */
const DEPTH_MAX = 12;

/** A text in Markdown as its readers see it. HTML in it is shown as text, and nothing is loaded from other servers. */
export function MarkdownView({ text }: { readonly text: string }): ReactNode {
  const content = useMemo(() => render(getBegin(text, LENGTH_MAX)), [text]);
  if (text.trim() === '') return <p className="faint">{t`No text.`}</p>;
  return (
    <div className="markdown-view" dir="auto">
      {content}
      {text.length > LENGTH_MAX && <p className="faint">{t`The preview shows the beginning only.`}</p>}
    </div>
  );
}

function render(text: string): ReactNode {
  try {
    return all(new Lexer({ gfm: true }).lex(text), 0);
  } catch {
    // Thousands of nested quotes are too much for the parser.
    return <span className="text">{text}</span>;
  }
}

function all(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return tokens?.map((token, i) => (
    <Fragment key={i}>{isKnown(token) ? one(token, depth) : token.raw}</Fragment>
  ));
}

/** The types of tokens. Extensions of the parser would add others. */
const TYPES: ReadonlySet<string> = new Set<MarkedToken['type']>([
  ...(['blockquote', 'br', 'checkbox', 'code', 'codespan', 'def', 'del', 'em', 'escape', 'heading'] as const),
  ...(['hr', 'html', 'image', 'link', 'list', 'list_item', 'paragraph', 'space', 'strong', 'table'] as const),
  'text',
]);

function isKnown(token: Token): token is MarkedToken {
  return TYPES.has(token.type);
}

function one(token: MarkedToken, depth: number): ReactNode {
  if (depth > DEPTH_MAX) return token.raw;
  const inside = (tokens: readonly Token[] | undefined): ReactNode => all(tokens, depth + 1);
  switch (token.type) {
    case 'heading':
      return <p className={`markdown-heading markdown-heading-${token.depth}`}>{inside(token.tokens)}</p>;
    case 'paragraph':
      return <p>{inside(token.tokens)}</p>;
    case 'strong':
      return <strong>{inside(token.tokens)}</strong>;
    case 'em':
      return <em>{inside(token.tokens)}</em>;
    case 'del':
      return <del>{inside(token.tokens)}</del>;
    case 'blockquote':
      return <blockquote>{inside(token.tokens)}</blockquote>;
    case 'list':
      return (
        <List list={token}>
          {token.items.map((item, i) => (
            <li key={i}>{inside(item.tokens)}</li>
          ))}
        </List>
      );
    case 'table':
      return <Table table={token} inside={inside} />;
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return <Link link={token} />;
    case 'image':
      return <Picture image={token} />;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'text':
      return token.tokens === undefined ? token.text : inside(token.tokens);
    case 'escape':
      return token.text;
    case 'def':
    case 'space':
      return null;
    default:
      return token.raw;
  }
}

function List({ list, children }: { readonly list: Tokens.List; readonly children: ReactNode }): ReactNode {
  if (!list.ordered) return <ul>{children}</ul>;
  return <ol start={list.start === '' ? 1 : list.start}>{children}</ol>;
}

interface TableProps {
  readonly table: Tokens.Table;
  readonly inside: (tokens: readonly Token[]) => ReactNode;
}

function Table({ table: { header, rows }, inside }: TableProps): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }, i) => (
            <th key={i}>{inside(tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, i) => (
          <tr key={i}>
            {cells.map(({ tokens }, j) => (
              <td key={j}>{inside(tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Link({ link: { href, text } }: { readonly link: Tokens.Link }): ReactNode {
  const found = findLink(href.replace(/^mailto:/i, ''));
  return found === undefined ? `${text} (${href})` : <OutsideLink href={found}>{text}</OutsideLink>;
}

/** Only pictures of the service itself are shown: the policy of the page allows no others. */
function Picture({ image: { href, text } }: { readonly image: Tokens.Image }): ReactNode {
  const isOwn = /^data:image\//.test(href) || (href.startsWith('/') && !href.startsWith('//'));
  if (isOwn) return <img src={href} alt={text} />;
  const found = findLink(href);
  return found === undefined ? text : <OutsideLink href={found}>{text === '' ? href : text}</OutsideLink>;
}
