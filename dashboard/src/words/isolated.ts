/**
 * A name, an address or an id inside a sentence of the other direction, where no element can stand around it: it keeps its own direction, and the
 * sentence keeps its order (U+2068, first strong isolate, until U+2069).
 */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`
}
