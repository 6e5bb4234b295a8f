/** A pattern for `like` that finds a substring: `%`, `_` and `\` mean themselves. */
export const likePattern = (search: string): string => `%${search.replace(/[\\%_]/g, '\\$&')}%`
