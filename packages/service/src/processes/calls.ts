import pTimeout from 'p-timeout'

/** One side of the channel between a supervisor and one of its processes. `send` may lose a message when the other side ends. */
export type Channel = Readonly<{ send: (message: object) => void; onMessage: (listener: (message: unknown) => void) => void }>

/** What the other side may ask here. Values are plain data. */
export type Answers = Readonly<Record<string, () => Promise<unknown>>>

export type Calls = Readonly<{
  /** Rejects after the time that was set, and when the other side cannot answer. */
  call: (what: string) => Promise<unknown>
}>

type Message = Readonly<{ call?: string; answer?: number; id?: number; value?: unknown; failed?: string }>

const isMessage = (message: unknown): message is Message => typeof message === 'object' && message !== null

/** Questions and answers over a channel, in both directions. A question of this side waits `ms` for its answer. */
export function createCalls({ send, onMessage }: Channel, answers: Answers, ms: number): Calls {
  const open = new Map<number, (message: Message) => void>()
  let last = 0
  const reply = async (id: number, what: string): Promise<void> => {
    try {
      send({ answer: id, value: await answers[what]?.() })
    } catch (error) {
      send({ answer: id, failed: error instanceof Error ? error.message : String(error) })
    }
  }
  onMessage((message) => {
    if (!isMessage(message)) return
    if (message.call !== undefined && message.id !== undefined) void reply(message.id, message.call)
    if (message.answer !== undefined) open.get(message.answer)?.(message)
  })
  const call = async (what: string): Promise<unknown> => {
    const id = ++last
    const { promise, resolve } = Promise.withResolvers<Message>()
    open.set(id, resolve)
    try {
      send({ call: what, id })
      const { value, failed } = await pTimeout(promise, { milliseconds: ms, message: `no answer within ${ms} ms` })
      if (failed !== undefined) throw new Error(failed)
      return value
    } finally {
      open.delete(id)
    }
  }
  return { call }
}
