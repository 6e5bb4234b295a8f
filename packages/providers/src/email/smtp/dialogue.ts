import type { Socket } from 'node:net'
import { type Reply, replyReader } from './reply-reader.ts'

/**
 * An SMTP session as questions and answers. `ask` writes once and resolves with as many answers as were asked for; with fewer when the
 * last of them says goodbye (421). It rejects when the session ends. One question at a time.
 */
export type Dialogue = Readonly<{
  ask: (text: string | Buffer, answers: number) => Promise<readonly Reply[]>
  /** Ends it from this side: who asks hears `why`. */
  end: (why: Error) => void
}>

type Question = Readonly<{ answers: number; heard: Reply[]; resolve: (replies: readonly Reply[]) => void; reject: (why: Error) => void }>

/** Takes over what the socket receives. `ended` hears once that the session cannot be used any more. */
export function dialogueOn(socket: Socket, ended: () => void): Dialogue {
  const read = replyReader()
  let question: Question | null = null
  let over: Error | null = null
  const end = (why: Error): void => {
    if (over !== null) return
    over = why
    question?.reject(why)
    ended()
  }
  const hear = (reply: Reply): void => {
    if (question === null) {
      // Nobody asked: a server that closes an idle session says so before it does (421).
      end(new Error(`the mail server ended the session: ${reply.text}`))
      return
    }
    const { heard, answers, resolve } = question
    heard.push(reply)
    if (heard.length < answers && reply.code !== 421) return
    question = null
    resolve(heard)
  }
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const reply of read(chunk)) hear(reply)
    } catch (error) {
      end(error as Error)
    }
  })
  return {
    end,
    ask: (text, answers) =>
      new Promise((resolve, reject) => {
        if (over !== null) return reject(over)
        question = { answers, heard: [], resolve, reject }
        socket.write(text)
      }),
  }
}
