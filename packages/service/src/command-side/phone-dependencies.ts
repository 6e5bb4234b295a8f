import type { EventLog, KeyRing } from '@tidings/codec'
import type { CommandApiDependencies } from '@tidings/command-api'
import type { CommandRunner } from '@tidings/commands'
import { type Config, OperationFailed, publicUrl } from '@tidings/config'
import { counter, eachOf } from '@tidings/observability/metrics'
import type { ReadSide } from '@tidings/projections'
import { createTwilioCallbacks, providersNamed, type TwilioCallbacks, twilioAccountIn } from '@tidings/providers'
import {
  createInboundTexts,
  findingAddressee,
  type InboundOutcome,
  type InboundTexts,
  keptTexts,
  type TakenSms,
  type Withdrawing,
  withdrawnSince,
} from '@tidings/receipts'
import type { UniqueContacts } from '@tidings/unique-contacts'
import type { Pool } from 'pg'

const receipts = counter(
  {
    name: 'tidings_phone_receipts_total',
    help: 'Reports about text messages and calls by outcome: applied, repeated, unchanged, unknown_message, unreadable',
    labelNames: ['outcome'],
  },
  eachOf('outcome', ['applied', 'repeated', 'unchanged', 'unknown_message', 'unreadable']),
)

const inbound = counter(
  {
    name: 'tidings_inbound_sms_total',
    help: 'Text messages from people by outcome: stop, start, help, other, unknown, late, unreadable; behind: kept, and counted again when it is decided',
    labelNames: ['outcome'],
  },
  eachOf('outcome', ['stop', 'start', 'help', 'other', 'unknown', 'late', 'unreadable', 'behind']),
)

const countInbound = (outcome: string): void => inbound.inc({ outcome })

type InboundTextsDependencies = Readonly<{
  runner: CommandRunner
  pool: Pool
  uniqueContacts: UniqueContacts
  log: EventLog
  keyRing: KeyRing
  readSide: ReadSide
}> & {
  readonly onFault: (error: unknown) => void
}

/** What people send, by whatever gateway. */
export function inboundTexts({ runner, pool, uniqueContacts, log, keyRing, readSide, onFault }: InboundTextsDependencies): InboundTexts {
  const taking = {
    ...findingAddressee({ runner, pool, uniqueContacts }),
    runner,
    liftFacts: uniqueContacts.liftFacts,
    withdrawnSince: (of: Withdrawing) => withdrawnSince(log, of),
  }
  return createInboundTexts({
    taking,
    kept: keptTexts({ pool, keyRing }),
    head: () => log.head(),
    shows: async (position) => (await readSide.wait(position, ['sms_recipients'])) === 'visible',
    onDecided: countInbound,
    onFault,
  })
}

/** What the routes of Twilio need, and what an SMSC delivers is taken by. */
export function phoneDependencies(
  config: Config,
  { take }: Readonly<{ take: (sms: TakenSms) => Promise<InboundOutcome> }>,
): CommandApiDependencies['phone'] {
  return { twilio: twilioCallbacks(config), takeInbound: take, countReceipt: (outcome) => receipts.inc({ outcome }), countInbound }
}

/** The callbacks of all accounts of both settings: reports of calls come by the same route, and each is verified by the token of the account that it names (M68). */
function twilioCallbacks({ sms, voice, http }: Config): TwilioCallbacks {
  const accounts = (['sms', 'voice'] as const).flatMap((channel) => {
    try {
      return providersNamed(channel, { sms, voice }[channel].provider).flatMap(({ label, address }) => {
        const account = twilioAccountIn(address, channel === 'sms' ? 'SMS' : 'voice')
        return account === null ? [] : [{ ...account, label }]
      })
    } catch (error) {
      throw new OperationFailed(`TIDINGS_${channel.toUpperCase()}_PROVIDER cannot be used. ${error instanceof Error ? error.message : ''}`)
    }
  })
  return createTwilioCallbacks(accounts, publicUrl(http))
}
