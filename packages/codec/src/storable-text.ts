const MAX = 500

/** Somebody else's words, as the log can keep them: well formed, without control characters, at most 500 characters. */
export const storableText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX)
