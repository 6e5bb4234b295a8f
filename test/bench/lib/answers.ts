/** One answer of a connection; `body` is good until the next byte comes. */
export type Answer = Readonly<{ status: number; head: string; body: Buffer }>

const NOTHING = Buffer.alloc(0)
const END_OF_HEAD = '\r\n\r\n'

/** The length of a body, by status line and fields (RFC 9112, 4 and 6.3). Chunks are not read. */
const bodyLength = (head: string, status: number): number => {
  if (status === 204 || status === 304) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`)
  return Number(length)
}

/** Cuts what a connection receives, in whatever pieces, into answers. What it returns throws on an answer whose end is not known. */
export function readAnswers(take: (answer: Answer) => void): (piece: Buffer) => void {
  let rest = NOTHING
  return (piece) => {
    let bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (let headEnd = bytes.indexOf(END_OF_HEAD); headEnd !== -1; headEnd = bytes.indexOf(END_OF_HEAD)) {
      const head = bytes.toString('latin1', 0, headEnd)
      const status = Number(head.slice(9, 12))
      const start = headEnd + END_OF_HEAD.length
      const end = start + bodyLength(head, status)
      if (bytes.length < end) break
      take({ status, head, body: bytes.subarray(start, end) })
      bytes = bytes.subarray(end)
    }
    // A copy: the connection reads its next piece into the same buffer.
    rest = bytes.length === 0 ? NOTHING : Buffer.from(bytes)
  }
}
