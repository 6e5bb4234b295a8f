import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Mood, Relayed, SinkReport } from './everything.sink.ts'

/** A mail relay in a process of its own, which can be slow, lie or be away, and knows what it took. */
export type Relay = Readonly<{
  url: string
  mood: (mood: Mood) => Promise<void>
  relayed: () => Promise<readonly Relayed[]>
  stop: () => void
}>

const SINK = fileURLToPath(new URL('./everything.sink.ts', import.meta.url))

const ask = async (sink: ChildProcess, what?: Mood | 'tell'): Promise<SinkReport> => {
  const answer = once(sink, 'message')
  if (what !== undefined) sink.send(what)
  const [received] = await answer
  return received
}

export async function startRelay(): Promise<Relay> {
  const sink = fork(SINK, { execArgv: [] })
  const opened = await ask(sink)
  return {
    url: 'url' in opened ? opened.url : '',
    mood: async (mood) => {
      await ask(sink, mood)
    },
    relayed: async () => {
      const received = await ask(sink, 'tell')
      return 'relayed' in received ? received.relayed : []
    },
    stop: () => {
      sink.kill()
    },
  }
}
