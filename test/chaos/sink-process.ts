import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SinkMessage, TakenMail } from './kill-service.sink.ts'

/** An SMTP server in a process of its own, which is never killed: what it took, and how often. */
export type SinkProcess = Readonly<{ url: string; taken: () => Promise<readonly TakenMail[]>; stop: () => void }>

const SINK = fileURLToPath(new URL('./kill-service.sink.ts', import.meta.url))

const hear = async (sink: ChildProcess): Promise<SinkMessage> => {
  const [message] = await once(sink, 'message')
  return message
}

export async function startSinkProcess(): Promise<SinkProcess> {
  const sink = fork(SINK, { execArgv: [] })
  const opened = await hear(sink)
  return {
    url: 'url' in opened ? opened.url : '',
    taken: async () => {
      sink.send('tell')
      const received = await hear(sink)
      return 'taken' in received ? received.taken : []
    },
    stop: () => {
      sink.kill()
    },
  }
}
