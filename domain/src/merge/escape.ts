const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as text and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char) : text
}

/** Begins an address whose host is not complete: an `@` in it would make what is before it a login. */
const IN_AUTHORITY = /^\s*(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*$/i
/** A dialler takes the `+` of an international number only as it is (RFC 3966 §3, RFC 5724 §2.2). */
const NUMBER = /^\s*(?:tel|sms|callto|facetime):[^?]*$/i
/** An address of these schemes is a program, where the reader's software runs any. */
const PROGRAM = /^(?:javascript|vbscript|data):/i

/** The end of a host is within these characters: a DNS name has at most 253. */
const MAX_JUDGED = 2_048

/** An address that grows by a piece, as far as `inAddress` judges it: each of many values in an address looks through it. */
export function addressSoFar(before: string, text: string): string {
  return before.length >= MAX_JUDGED ? before : before + text.slice(0, MAX_JUDGED)
}

/**
 * A value in an address (RFC 3986 §2.1): percent-encoded; but as it is where it is the whole address, where `/`, `?` or `#` follow, so that it
 * is scheme and host, and where it is a web address that begins the address. Empty for a program's address. `before`: the address so far (`addressSoFar`);
 * `after`: what follows, null where nothing does.
 */
export function inAddress(value: string, before: string, after: string | null): string {
  if (before.trim() === '') {
    // A browser drops these from an address, wherever they are (URL standard, basic URL parser).
    const address = value.replace(/[\p{Cc}\u2028\u2029]+/gu, '').trim()
    if (after === null || /^[/?#]/.test(after) || /^https?:\/\//i.test(address)) return PROGRAM.test(address) ? '' : address
  }
  const encoded = encodeURIComponent(value.toWellFormed()).replace(/'/g, '%27')
  if (NUMBER.test(before)) return encoded.replaceAll('%2B', '+')
  return IN_AUTHORITY.test(before) ? encoded : encoded.replaceAll('%40', '@')
}
