/** One answer of an SMTP server (RFC 5321 §4.2): its code, and its lines as they came. */
export type Reply = Readonly<{ code: number; text: string }>

/** More than any server says at once. */
const LONGEST = 64 * 1024

/**
 * Puts a server's answers together from chunks that break anywhere. Throws where it is not SMTP, or an answer grows beyond 64 KB: nothing
 * that comes after that can be understood.
 */
export function replyReader(): (chunk: Buffer) => readonly Reply[] {
  let rest = ''
  let said = ''
  return (chunk) => {
    rest += chunk.toString('latin1')
    const replies: Reply[] = []
    let from = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.slice(from, end).trimEnd()
      from = end + 1
      if (!/^[2-5]\d\d(?:[ -]|$)/.test(line)) throw new Error('the mail server answered with something that is not SMTP')
      said += said === '' ? line : `\n${line}`
      if (line[3] !== '-') {
        replies.push({ code: Number(line.slice(0, 3)), text: Buffer.from(said, 'latin1').toString('utf8') })
        said = ''
      }
    }
    rest = rest.slice(from)
    if (rest.length + said.length > LONGEST) throw new Error('the mail server does not end its answer')
    return replies
  }
}
