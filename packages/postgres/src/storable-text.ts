const MAX = 500

/** Cuts to so many UTF-16 units, and never inside a character. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? max - 1 : max)
}

/**
 * Foreign text, as the log and Postgres can store it: well formed, without control characters, at most `max` characters. Whatever
 * comes from outside and is stored outside the events of the API (there it was checked) goes through this.
 */
export function storableText(text: string, max = MAX): string {
  return cutText(
    text
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
    max,
  )
}
