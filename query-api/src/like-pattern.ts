/** A pattern for `like` that finds a substring: `%`, `_` and `\` mean themselves. Between two parts stands any one character. */
export function likePattern(...parts: readonly string[]): string {
  return `%${parts.map((part) => part.replace(/[\\%_]/g, '\\$&')).join('_')}%`
}
