import type { Socket } from 'node:net'
import { type Reply, replyReader } from './reply-reader.ts'

/**
 * An SMTP session as questions and answers, in order. `say` is one write, after which so many answers are owed; `hear` resolves with the
 * next ones, with fewer when the last of them says goodbye (421), and rejects when the session ends. One `hear` at a time.
 */
export type Dialogue = Readonly<{
  say: (text: string, answers: number) => void
  hear: (answers: number) => Promise<readonly Reply[]>
  /** Ends it from this side: who hears gets `why`. */
  end: (why: Error) => void
}>

type Hearing = Readonly<{ answers: number; resolve: (replies: readonly Reply[]) => void; reject: (why: Error) => void }>

const GOODBYE = 421

/** `ended` hears once that the session cannot be used any more, `heard` of every reply that was owed. */
export type Listening = Readonly<{ ended: () => void; heard: () => void }>

/** Takes over what the socket receives. */
export function dialogueOn(socket: Socket, { ended, heard: replied }: Listening): Dialogue {
  const read = replyReader()
  let owed = 0
  const heard: Reply[] = []
  let hearing: Hearing | null = null
  let over: Error | null = null
  const end = (why: Error): void => {
    if (over !== null) return
    over = why
    hearing?.reject(why)
    hearing = null
    ended()
  }
  const answer = (): void => {
    if (hearing === null || (heard.length < hearing.answers && heard.at(-1)?.code !== GOODBYE)) return
    const { answers, resolve } = hearing
    hearing = null
    resolve(heard.splice(0, answers))
  }
  const take = (reply: Reply): void => {
    if (owed === 0) {
      // Nobody asked: a server that closes an idle session says so before it does.
      end(new Error(`the mail server ended the session: ${reply.text}`))
      return
    }
    owed = reply.code === GOODBYE ? 0 : owed - 1
    heard.push(reply)
    replied()
    answer()
  }
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const reply of read(chunk)) take(reply)
    } catch (error) {
      end(error as Error)
    }
  })
  return {
    end,
    say: (text, answers) => {
      if (over !== null) return
      owed += answers
      // Nearly every mail is ASCII, which is written without being encoded.
      socket.write(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
    },
    hear: (answers) =>
      new Promise((resolve, reject) => {
        hearing = { answers, resolve, reject }
        answer()
        if (over !== null && hearing !== null) {
          hearing = null
          reject(over)
        }
      }),
  }
}
