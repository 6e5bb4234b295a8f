/** How mail servers name a mail that they took: Postfix, Haraka and others; Exim; Sendmail; Gmail; Amazon SES, SparkPost; qmail. The first that fits counts. Each is all
 * that the server says in its place: an id of a session, or of a filter before the server, comes again with every mail. */
const NAMES: readonly RegExp[] = [
  /\bqueued as:? *<?([\w.+/=@-]+)/i,
  /\bmessage queued \(([\w.+/=-]+)\)/i,
  /^250 (?:\d\.\d\.\d )?OK id=(\w{6}-\w{6,11}-\w{2,4})\s*$/i,
  /^250 \d\.\d\.\d ([\w.-]{8,}) Message accepted for delivery/i,
  /^250 (?:\d\.\d\.\d )?OK +\d{9,} +([\w.-]{8,}) +- +gsmtp/i,
  /^250 (?:\d\.\d\.\d )?Ok:? +([\da-f]{16}-[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}-\d{6}|[\da-f]{2}\/[\w-]{10,})\s*$/i,
  /^250 ok (\d{9,} qp \d+)/i,
]
/** Words that follow in the answers of some, and name nothing. */
const WORDS = /^(?:for|ok|delivery|mail|message)$/i
const MAX = 200

/**
 * The name that a mail server gives a mail in its answer; null where it gives none. It is what stands in the server's log. It is kept in clear: one that
 * has an address, or the name of the recipient's mailbox in any spelling, is none.
 */
export function queueIdIn(answer: string, to: string): string | null {
  const line = answer.slice(answer.lastIndexOf('\n') + 1, answer.lastIndexOf('\n') + 1_000)
  for (const name of NAMES) {
    const found = name.exec(line)?.[1]?.replace(/[.@-]+$/, '')
    if (found !== undefined && found !== '' && found.length <= MAX && !WORDS.test(found)) return namesMailbox(found, to) ? null : found
  }
  return null
}

/** Fewer letters occur in many ids by chance. */
const MIN_INSIDE = 4
const NO_LETTERS = /[^\p{L}\p{N}]+/gu

function namesMailbox(id: string, to: string): boolean {
  if (/@|%40/i.test(id)) return true
  const local = to.slice(0, to.lastIndexOf('@')).normalize('NFKC').toLowerCase()
  const words = id.normalize('NFKC').toLowerCase()
  return [local, local.replace(/\+.*$/s, '')].some((mailbox) => {
    const letters = mailbox.replace(NO_LETTERS, '')
    if (letters === '') return false
    return letters.length < MIN_INSIDE ? words.split(NO_LETTERS).includes(letters) : words.replace(NO_LETTERS, '').includes(letters)
  })
}
