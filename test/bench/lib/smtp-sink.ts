import { createServer, type Socket } from 'node:net'

/**
 * The cheapest server that still speaks SMTP to the letter nodemailer needs: it accepts every message and counts them.
 * Run as a process of its own; prints its port, and the count on every line it reads; to `take` it answers what came since it was taken last, as
 * `TakenMessages`. Arguments: how many ms an answer takes, `steps` for a server without PIPELINING, and a port; by default a free one.
 */
const delayMs = Number(process.argv[2] ?? 0)
const pipelining = process.argv[3] === 'steps' ? '' : '250-PIPELINING\r\n'
const received = { messages: 0, firstAt: 0, lastAt: 0, taken: 0 }

/** When the first and the last of `count` messages came, in ms since 1970. */
export type TakenMessages = Readonly<{ count: number; firstAt: number; lastAt: number }>

const note = (): void => {
  received.lastAt = Date.now()
  if (received.messages === received.taken) received.firstAt = received.lastAt
  received.messages++
}

const take = (): TakenMessages => {
  const { messages, taken, firstAt, lastAt } = received
  received.taken = messages
  return { count: messages - taken, firstAt, lastAt }
}

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
        note()
        answer(`250 ok queued as ${received.messages}\r\n`)
      } else {
        const text = command(line)
        if (text) answer(text)
      }
    }
  })
}

const server = createServer(serve)
server.listen(Number(process.argv[4] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`)
})
process.stdin.on('data', (asked: Buffer) => {
  process.stdout.write(`${asked.toString().startsWith('take') ? JSON.stringify(take()) : received.messages}\n`)
})
process.stdin.on('end', () => process.exit(0))
