import type { RelayConnection } from './nodemailer-connection.ts'
import { type Reply, replyReader } from './reply-reader.ts'

/**
 * The commands and replies of an SMTP session, in order. `write` is one write, which the server owes so many replies; `read` resolves with the
 * next ones, with fewer when the last of them closes the session (421), and rejects when the session ends. One `read` at a time.
 */
export type CommandChannel = Readonly<{
  write: (text: string, replies: number) => void
  read: (replies: number) => Promise<readonly Reply[]>
  /** Ends the session from this side: a pending `read` rejects with `reason`. */
  close: (reason: Error) => void
}>

type PendingRead = Readonly<{ count: number; resolve: (replies: readonly Reply[]) => void; reject: (reason: Error) => void }>

const SERVICE_CLOSING = 421

/** `onClosed` is called once, when the session cannot be used any more; `onReply` for every reply that was owed. */
type ChannelListeners = Readonly<{ onClosed: () => void; onReply: () => void }>

/** Takes over the connection. */
export function createCommandChannel({ socket, onData }: RelayConnection, { onClosed, onReply }: ChannelListeners): CommandChannel {
  const read = replyReader()
  let owed = 0
  const received: Reply[] = []
  let pending: PendingRead | null = null
  let closed: Error | null = null
  const close = (reason: Error): void => {
    if (closed !== null) return
    closed = reason
    pending?.reject(reason)
    pending = null
    onClosed()
  }
  const settleRead = (): void => {
    if (pending === null || (received.length < pending.count && received.at(-1)?.code !== SERVICE_CLOSING)) return
    const { count, resolve } = pending
    pending = null
    resolve(received.splice(0, count))
  }
  const take = (reply: Reply): void => {
    if (owed === 0) {
      // A server that closes an idle session sends its reason first.
      close(new Error(`the mail server ended the session: ${reply.text}`))
      return
    }
    owed = reply.code === SERVICE_CLOSING ? 0 : owed - 1
    received.push(reply)
    onReply()
    settleRead()
  }
  onData((chunk) => {
    try {
      for (const reply of read(chunk)) take(reply)
    } catch (error) {
      close(error as Error)
    }
  })
  return {
    close,
    write: (text, replies) => {
      if (closed !== null) return
      owed += replies
      // Nearly every mail is ASCII, which is written without being encoded.
      socket.write(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
    },
    read: (count) =>
      new Promise((resolve, reject) => {
        pending = { count, resolve, reject }
        settleRead()
        if (closed !== null && pending !== null) {
          pending = null
          reject(closed)
        }
      }),
  }
}
