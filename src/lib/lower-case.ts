/**
 * A text for comparisons that ignore case: lower case by Unicode, the same in every language. The final `ς` becomes `σ`,
 * so that no letter depends on the letters beside it. Accents and composed letters stay as they are.
 */
export function lowerCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
