import type { MessageId } from '@tidings/domain'
import { type Client, shownFetch } from './client.ts'
import type { World } from './world.ts'

/** An email as the development outbox shows it. */
export type SentEmail = Readonly<{
  id: string
  to: string
  from: string
  subject: string
  html: string
  text: string
  headers: Readonly<Record<string, string>>
  messageId: MessageId
}>

/** With `settle` or `shown` a report is answered once reads show it. */
type Outbox = Pick<World, 'url'> & Partial<Pick<World, 'settle'> & Pick<Client, 'shown'>>

/** The development outbox, which belongs to the machine and not to a workspace. */
export function outboxOf({ url, ...of }: Outbox) {
  const shown = of.shown ?? of.settle ?? (async () => undefined)
  const list = async (query = ''): Promise<readonly SentEmail[]> => {
    const response = await fetch(`${url}/dev/outbox${query}`)
    return ((await response.json()) as { items: SentEmail[] }).items
  }
  return {
    list,
    /** The one email of this message; call it when its status says that it was sent. */
    of: async (messageId: string): Promise<SentEmail> => {
      const found = (await list()).filter((email) => email.messageId === messageId)
      if (found.length !== 1 || found[0] === undefined) throw new Error(`message ${messageId} is in the outbox ${found.length} times`)
      return found[0]
    },
    report: async (id: string, body: Readonly<Record<string, unknown>>): Promise<Readonly<{ status: number; body: unknown }>> => {
      const response = await shownFetch(shown, `${url}/dev/outbox/${id}/report`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: await response.json() }
    },
    clear: async (): Promise<number> => (await fetch(`${url}/dev/outbox`, { method: 'DELETE' })).status,
  }
}
