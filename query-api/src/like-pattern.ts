/** A pattern for `like` that finds a substring: `%`, `_` and `\` mean themselves. */
export function likePattern(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`
}
