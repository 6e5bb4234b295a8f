import { asContactId } from '@tidings/domain'
import { type Job, messageLane, SEND_CHANNELS, SEND_KINDS, type Verdict, type WaitingAside } from '@tidings/jobs'
import type { Pool } from 'pg'
import { releaseInPasses } from './release-put-off.ts'

/** Lets messages be judged again that wait for the end of quiet hours: of one contact, or of the workspace. */
export async function releaseQuiet(pool: Pool, { workspaceId, payload: contactId, attempt }: Job, signal: AbortSignal): Promise<Verdict> {
  const waiting = SEND_CHANNELS.map((channel): WaitingAside => {
    const lanes = contactId === '' ? {} : { lanes: [messageLane(asContactId(contactId), channel)] }
    return { kind: SEND_KINDS[channel].marketing, workspaceId, deferredFor: 'quiet_hours', ...lanes }
  })
  return await releaseInPasses(pool, waiting, { attempt, signal })
}
