import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import { asContactId, type ContactEvent, type WorkspaceEvent } from '@tidings/domain'
import {
  type Admission,
  type Job,
  messageLane,
  type NewJob,
  SEND_CHANNELS,
  SEND_KINDS,
  type Verdict,
  type WaitingAside,
} from '@tidings/jobs'
import type { Pool } from 'pg'
import { releaseInPasses } from './release-put-off.ts'

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

/** Lets messages be judged again that wait for the end of quiet hours: of one contact, or of the workspace. */
export async function releaseQuiet(pool: Pool, { workspaceId, payload: contactId, attempt }: Job, signal: AbortSignal): Promise<Verdict> {
  const waiting = SEND_CHANNELS.map((channel): WaitingAside => {
    const lanes = contactId === '' ? {} : { lanes: [messageLane(asContactId(contactId), channel)] }
    return { kind: SEND_KINDS[channel].marketing, workspaceId, deferredFor: 'quiet_hours', ...lanes }
  })
  return await releaseInPasses(pool, waiting, { attempt, signal })
}
