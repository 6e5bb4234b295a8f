import { once } from 'node:events'
import { connect } from 'node:net'

/** The flags of every mail in the mailbox, the oldest first, by a session of its own that changes none. */
export async function mailFlags(port: number, user: string, password: string): Promise<readonly (readonly string[])[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let said = ''
  socket.on('data', (text: string) => {
    said += text
  })
  const closed = once(socket, 'close')
  closed.catch(() => undefined) // looked at below
  try {
    socket.write(`a LOGIN ${user} ${password}\r\nb EXAMINE INBOX\r\nc FETCH 1:* FLAGS\r\n`)
    while (!/^c [A-Z]+/m.test(said)) {
      await Promise.race([once(socket, 'data'), closed])
      if (socket.closed) throw new Error(`the mail server ended the session after: ${said}`)
    }
    return [...said.matchAll(/^\* \d+ FETCH \(FLAGS \(([^)]*)\)/gm)].map(([, flags = '']) => flags.split(' ').filter(Boolean))
  } finally {
    socket.destroy()
  }
}
