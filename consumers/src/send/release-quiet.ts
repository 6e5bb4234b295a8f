import { asideReasons, type Job, messageLane, SEND_CHANNELS, SEND_KINDS, type Verdict } from '@tidings/inbox'
import type { Pool } from 'pg'
import { QUIET_HOURS } from '../campaigns/campaign-holds.ts'
import { releaseInPasses } from './release-put-off.ts'

/** Lets messages be judged again that wait for the end of quiet hours: of one contact, or of the workspace. */
export async function releaseQuiet(pool: Pool, { workspaceId, payload: contactId, attempt }: Job, signal: AbortSignal): Promise<Verdict> {
  const waiting = await Promise.all(
    SEND_CHANNELS.map(async (channel) => {
      const kind = SEND_KINDS[channel].marketing
      const of = { kind, workspaceId, ...(contactId !== '' && { lanes: [messageLane(contactId, channel)] }) }
      return { ...of, reasons: (await asideReasons(pool, of)).filter((reason) => reason.startsWith(QUIET_HOURS)) }
    }),
  )
  return await releaseInPasses(pool, waiting, { attempt, signal })
}
