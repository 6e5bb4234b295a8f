import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { EmailAccepted } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import type { Admission } from '@tidings/inbox'
import type { RecentMail } from './recent-mail.ts'

export const SEND_EMAIL = 'send-email'

/** Admits every accepted email: its lane is the contact's email, its payload the message's id. */
export function sendConsumer({ fresh, admit }: Readonly<{ fresh: RecentMail; admit: Admission }>): Consumer {
  let head: Position | null = null
  return {
    group: SEND_EMAIL,
    types: ['EmailAccepted'],
    opened: (position) => {
      head = position
      fresh.clear()
    },
    handle: async (events, tx) => {
      const accepted = events as readonly Recorded<EmailAccepted>[]
      for (const event of accepted) if (head !== null && comparePositions(event.position, head) > 0) fresh.put(event)
      const jobs = accepted.map(({ meta, data, position }) => ({
        workspaceId: meta.workspaceId,
        lane: `${data.contactId}:email`,
        seq: position.commit,
        payload: data.messageId,
      }))
      return await admit(tx, jobs)
    },
  }
}
