/** One reply of an SMTP server (RFC 5321 §4.2): its code, and its lines as they came. */
export type Reply = Readonly<{ code: number; text: string }>

/** This is more than any server sends in one reply. */
const MAX_LENGTH = 64 * 1024

const BEYOND_ASCII = /[\x80-\xff]/

/**
 * Assembles a server's replies from chunks that break anywhere. Throws where the text is not SMTP, or a reply grows beyond 64 KB: what follows
 * cannot be parsed.
 */
export function replyReader(): (chunk: Buffer) => readonly Reply[] {
  let rest = ''
  let lines = ''
  return (chunk) => {
    rest += chunk.toString('latin1')
    const replies: Reply[] = []
    let from = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.slice(from, end).trimEnd()
      from = end + 1
      if (!/^[2-5]\d\d(?:[ -]|$)/.test(line)) throw new Error('the mail server answered with something that is not SMTP')
      lines += lines === '' ? line : `\n${line}`
      if (line[3] !== '-') {
        replies.push({
          code: Number(line.slice(0, 3)),
          text: BEYOND_ASCII.test(lines) ? Buffer.from(lines, 'latin1').toString('utf8') : lines,
        })
        lines = ''
      }
    }
    rest = rest.slice(from)
    if (rest.length + lines.length > MAX_LENGTH) throw new Error('the mail server does not end its answer')
    return replies
  }
}
