/** A feature of newer browsers (ECMAScript, JSON.parse source text access). */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): unknown;
}

const EXACT = JSON as ExactJson;

/** Parses JSON so that it can be written again with all digits of large integers, if the browser supports that. */
export function parseExact(text: string): unknown {
  return EXACT.parse(text, (_key, value, context) => {
    const source = context?.source;
    const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isInexact && source !== undefined && EXACT.rawJSON !== undefined ? EXACT.rawJSON(source) : value;
  });
}

/** Writes JSON with all digits of large integers, if the browser supports that. */
export function formatExact(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' ? (EXACT.rawJSON?.(one.toString()) ?? Number(one)) : one,
  );
}
