import type { EventLog } from '@tidings/codec'
import type { CommandApiDependencies } from '@tidings/command-api'
import type { CommandRunner } from '@tidings/commands'
import { type Config, OperationFailed, publicUrl } from '@tidings/config'
import { kyselyOn } from '@tidings/postgres'
import { type ReadSide, shownSinceAsked } from '@tidings/projections'
import { createTwilioCallbacks, parseTwilioUrl, type TwilioCallbacks } from '@tidings/providers'
import { lastSmsTo, type ReadModels } from '@tidings/read-models'
import { type LastSmsQuery, takeInbound } from '@tidings/receipts'
import type { UniqueContacts } from '@tidings/unique-contacts'
import type { Pool } from 'pg'
import { countInboundSms, countReceipt } from '../metrics/report-metrics.ts'

type Parts = Readonly<{ runner: CommandRunner; pool: Pool; uniqueContacts: UniqueContacts; log: EventLog; readSide: ReadSide }>

/** A gateway that delivers again does so within hours. */
const ASKS_AGAIN_MS = 6 * 3_600_000

/** What the routes of Twilio need, and what an SMSC delivers is taken by. */
export function phoneDependencies(config: Config, { runner, pool, uniqueContacts, log, readSide }: Parts): CommandApiDependencies['phone'] {
  const db = kyselyOn<ReadModels>(pool)
  const shown = shownSinceAsked({ head: () => log.head(), reads: readSide, projections: ['sms_recipients'], keptMs: ASKS_AGAIN_MS })
  const taking = {
    runner,
    lastSmsTo: async (of: LastSmsQuery) => {
      const row = await lastSmsTo(db, of)
      if (row === undefined) return null
      return { workspaceId: row.workspace_id, contactId: row.contact_id, messageId: row.message_id, phone: row.phone, sender: row.sender }
    },
    contactWith: (workspaceId: string, phone: string) => uniqueContacts.ownerOf(workspaceId, 'phone', phone),
    liftFacts: uniqueContacts.liftFacts,
    showsAll: async (id: string) => (await shown([id])).has(id),
  }
  return {
    twilio: twilioCallbacks(config),
    takeInbound: (sms) => takeInbound(taking, sms),
    countReceipt,
    countInbound: countInboundSms,
  }
}

/** Of the accounts of both settings: reports of calls come by the same route. */
function twilioCallbacks({ sms, voice, http }: Config): TwilioCallbacks {
  const accounts = [['SMS', sms.provider] as const, ['voice', voice.provider] as const].flatMap(([channel, provider]) => {
    if (!provider.startsWith('twilio://')) return []
    try {
      return [parseTwilioUrl(provider, channel)]
    } catch (error) {
      throw new OperationFailed(`TIDINGS_${channel.toUpperCase()}_PROVIDER cannot be used. ${error instanceof Error ? error.message : ''}`)
    }
  })
  return createTwilioCallbacks(accounts, publicUrl(http))
}
