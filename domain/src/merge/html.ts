const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as text and inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (char) => entities[char] ?? char) : text

/** One line, whatever came in: what is to stand in a mail header carries no line break and no control character (M3). */
export const singleLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
