/** The texts of `Warning` headers (RFC 9111, section 5.5), which `fetch` joins with commas; each is quoted. */
export function readWarnings(header: string | null): readonly string[] {
  // The texts are UTF-8, but `fetch` decodes each byte as one character.
  const bytes = Uint8Array.from(header ?? '', (character) => character.charCodeAt(0));
  const found = new TextDecoder().decode(bytes).matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g);
  return [...found].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
