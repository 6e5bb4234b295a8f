import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { ContactEvent, WorkspaceEvent } from '@tidings/domain'
import type { Admission, NewJob } from '@tidings/jobs'

/**
 * Admits a job for each change of the end of quiet hours: of a workspace's hours, or of a contact's time zone. Its payload is the contact, or empty for the whole
 * workspace.
 */
export function quietHoursConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: 'quiet-hours',
    types: ['MarketingRulesChanged', 'ContactDetailsChanged'],
    concerns: (events) => events.some((event) => isChange(event)),
    handle: async (events, tx) => await admit(tx, events.filter(isChange).map(jobOf)),
  }
}

type Change =
  | Recorded<Extract<WorkspaceEvent, { type: 'MarketingRulesChanged' }>>
  | Recorded<Extract<ContactEvent, { type: 'ContactDetailsChanged' }>>

const isChange = (event: Recorded): event is Change =>
  event.type === 'MarketingRulesChanged' || (event.type === 'ContactDetailsChanged' && hasTimezone(event.data))

const hasTimezone = (data: unknown): boolean => typeof data === 'object' && data !== null && 'timezone' in data

const jobOf = ({ type, data, meta, position }: Change): NewJob => {
  const payload = type === 'ContactDetailsChanged' ? data.contactId : ''
  return { workspaceId: meta.workspaceId, lane: payload || meta.workspaceId, seq: position.commit, payload }
}
