import { createServer, type Socket } from 'node:net'

/**
 * The cheapest server that still speaks SMTP to the letter nodemailer needs: it accepts every message and counts them.
 * Run as a process of its own; prints its port, and the count on every line it reads. Arguments: how many ms an answer takes, and `steps` for a
 * server without PIPELINING.
 */
const delayMs = Number(process.argv[2] ?? 0)
const pipelining = process.argv[3] === 'steps' ? '' : '250-PIPELINING\r\n'
const received = { messages: 0 }

const serve = (socket: Socket) => {
  let pending = ''
  let inData = false
  socket.setNoDelay(true)
  const answer = (text: string): void => {
    if (delayMs === 0) socket.write(text)
    else setTimeout(() => socket.write(text), delayMs)
  }
  answer('220 sink ESMTP\r\n')
  const command = (line: string): string => {
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO') return `250-sink\r\n${pipelining}250-8BITMIME\r\n250 SMTPUTF8\r\n`
    if (verb === 'DATA') {
      inData = true
      return '354 go on\r\n'
    }
    if (verb === 'QUIT') {
      socket.end('221 bye\r\n')
      return ''
    }
    return '250 ok\r\n'
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1')
    for (;;) {
      const end = pending.indexOf(inData ? '\r\n.\r\n' : '\r\n')
      if (end < 0) return
      const line = pending.slice(0, end)
      pending = pending.slice(end + (inData ? 5 : 2))
      if (inData) {
        inData = false
        received.messages++
        answer(`250 ok queued as ${received.messages}\r\n`)
      } else {
        const text = command(line)
        if (text) answer(text)
      }
    }
  })
}

const server = createServer(serve)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`)
})
process.stdin.on('data', () => process.stdout.write(`${received.messages}\n`))
process.stdin.on('end', () => process.exit(0))
