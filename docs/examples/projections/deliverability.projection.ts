import { projection, table } from '@tidings/analyst'

/**
 * What became of mail per domain of the recipient and hour in which it was sent. The address is personal: only its domain is kept, and without
 * `--personal` there is not even that. A message of a person who was erased counts under no domain.
 */
const hourly = table({
  name: 'deliverability_per_hour',
  columns: {
    workspace_id: 'uuid',
    domain: 'text',
    hour: 'timestamptz',
    sent: 'integer',
    delivered: 'integer',
    bounced: 'integer',
    complained: 'integer',
  },
  key: ['workspace_id', 'domain', 'hour'],
})

/** The row that counts a message; `hour` is the hour in which it was sent. */
const messages = table({
  name: 'message_place',
  columns: { message_id: 'uuid', domain: 'text', hour: 'timestamptz?' },
  key: ['message_id'],
})

const hourOf = (at: string): string => `${at.slice(0, 13)}:00:00.000Z`

/** The domain of the address; none if there is no address. */
const domainOf = (to: string | null | undefined): string => to?.split('@').at(-1)?.toLowerCase() ?? ''

export default projection({
  name: 'deliverability',
  events: ['EmailAccepted', 'MessageReaddressed', 'MessageSent', 'MessageDelivered', 'MessageBounced', 'MessageComplained'],
  personal: { EmailAccepted: ['to'], MessageReaddressed: ['to'] },
  tables: { hourly, messages },
  apply(event, { hourly, messages }) {
    const message_id = event.data.messageId
    if (event.type === 'EmailAccepted') {
      messages.put({ message_id, domain: domainOf(event.data.to), hour: null })
      return
    }
    const place = messages.get(message_id)
    // No mail, or one from before the place where the run began.
    if (place === undefined) return
    if (event.type === 'MessageReaddressed') return messages.put({ ...place, domain: domainOf(event.data.to) })
    const hour = place.hour ?? hourOf(event.at)
    if (place.hour === null) messages.put({ ...place, hour })
    const [workspace_id, domain] = [event.workspaceId, place.domain]
    const none = { workspace_id, domain, hour, sent: 0, delivered: 0, bounced: 0, complained: 0 }
    const row = hourly.get(workspace_id, domain, hour) ?? none
    switch (event.type) {
      case 'MessageSent':
        return hourly.put({ ...row, sent: row.sent + 1 })
      case 'MessageDelivered':
        return hourly.put({ ...row, delivered: row.delivered + 1 })
      case 'MessageBounced':
        return hourly.put({ ...row, bounced: row.bounced + 1 })
      case 'MessageComplained':
        return hourly.put({ ...row, complained: row.complained + 1 })
      default:
        return event satisfies never
    }
  },
})
