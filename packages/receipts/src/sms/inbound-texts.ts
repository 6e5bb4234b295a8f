import type { StreamReader } from '@tidings/codec'
import { type ContactEvent, type ContactId, contactStream, type WorkspaceId } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import type { TakenSms } from './inbound.ts'
import type { KeptText, KeptTexts } from './kept-texts.ts'
import { askingNumber, type InboundOutcome, type TakingInbound, takeInbound } from './take-inbound.ts'

export type InboundTexts = Readonly<{
  /** What became of it; `behind`: it is kept, and decided later. Rejects only where it could not be kept. */
  take: (sms: TakenSms) => Promise<InboundOutcome>
  /** Decides what is due. */
  takeDue: () => Promise<void>
}>

/** `shows`: whether the read side shows every message that the log had at the position. `onDecided`: of one whose `take` has answered before. */
type InboundTextsOptions = Readonly<{
  taking: Omit<TakingInbound, 'showsAll' | 'withdrawnSince'> & Readonly<{ withdrawnSince: (of: Withdrawing) => Promise<boolean> }>
  kept: KeptTexts
  head: () => Promise<Position>
  shows: (position: Position) => Promise<boolean>
  onDecided: (outcome: InboundOutcome) => void
  onFault: (error: unknown) => void
}>

const BEHIND_MS = 1_000
const LONGEST_MS = 60_000
/** Numbers whose texts are decided at once: each waits for the read side, most of the time. */
const AT_ONCE = 20

/**
 * A text is kept before anything is asked: gateways do not repeat what they were answered an error for, or repeat it behind later ones. From then on
 * it is decided, in the order in which the texts of its number came, as soon as the read side shows what the log had when it came (M44).
 */
export function createInboundTexts(options: InboundTextsOptions): InboundTexts {
  const { kept, head, onDecided, onFault } = options

  /** Decides the texts of the number, one after the other, as far as that goes; answers with the outcome of `own`. */
  const takeOf = async (numberKey: string, own: string | null): Promise<InboundOutcome> => {
    let outcome: InboundOutcome = 'behind'
    for (let text = await kept.claim(numberKey); text !== null; text = await kept.claim(numberKey)) {
      const decided = await decide(options, text)
      if (decided === null) return outcome
      await kept.done(text.seq)
      if (text.seq === own) outcome = decided
      else onDecided(decided)
    }
    return outcome
  }

  return {
    take: async (sms) => {
      const asking = askingNumber(sms)
      if (!('number' in asking)) return asking.outcome
      const known = await head().catch(() => null)
      const { seq, numberKey } = await kept.keep({ sms, ...asking, head: known })
      // It is durable: what fails from here on is done by the next look.
      return await takeOf(numberKey, seq).catch((error: unknown) => {
        onFault(error)
        return 'behind'
      })
    },
    takeDue: async () => {
      const numbers = await kept.due()
      for (let from = 0; from < numbers.length; from += AT_ONCE)
        await Promise.all(numbers.slice(from, from + AT_ONCE).map((number) => takeOf(number, null).catch(onFault)))
    },
  }
}

/** Null where it could not be decided: it is put off. */
async function decide({ taking, kept, head, shows, onFault }: InboundTextsOptions, text: KeptText): Promise<InboundOutcome | null> {
  const { tries } = text
  let position = text.head
  try {
    const known = position ?? (await head())
    position = known
    const withdrawnSince: TakingInbound['withdrawnSince'] = (of) => taking.withdrawnSince({ ...of, head: known })
    const outcome = await takeInbound({ ...taking, withdrawnSince, showsAll: () => shows(known) }, await text.read())
    if (outcome !== 'behind') return outcome
    await kept.putOff({ ...text, head: known }, { inMs: BEHIND_MS, tries })
  } catch (error) {
    onFault(error)
    await kept.putOff({ ...text, head: position }, { inMs: Math.min(LONGEST_MS, BEHIND_MS * 2 ** tries), tries: tries + 1 })
  }
  return null
}

/** `at` and `head`: when a text of the contact came, and where the log was then. */
export type Withdrawing = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; at: string; head: Position }>

/**
 * Whether the contact withdrew its consent to text messages after a text came. The log alone knows what came behind what: clocks of processes differ. A
 * STOP came in the order of the texts of its number, and may be written behind a text that it came before: that one's moment tells.
 */
export async function withdrawnSince(log: StreamReader, { workspaceId, contactId, at, head }: Withdrawing): Promise<boolean> {
  const events = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  return events.some(
    ({ type, data, meta, position }) =>
      type === 'ContactConsentRecorded' &&
      data.channel === 'sms' &&
      data.to === 'unsubscribed' &&
      (Date.parse(meta.at) > Date.parse(at) || (data.source !== 'sms_stop' && comparePositions(position, head) > 0)),
  )
}
