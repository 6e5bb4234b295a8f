import type { StreamReader } from '@tidings/codec'
import {
  type ConsentChannel,
  type ConsentStatement,
  type ConsentStatus,
  type ContactEvent,
  type ContactId,
  type ContactPatch,
  type ContactState,
  contact,
  contactStream,
  type Json,
  saidAt,
  type WorkspaceId,
} from '@tidings/domain'
import type { Person, SaidConsent } from '../line/person-of.ts'
import { shownValue } from '../line/property-cells.ts'

/** `last`: the statement of each channel that counts now. */
export type KnownPerson = Readonly<{ contactId: ContactId; state: ContactState; last: Partial<Record<ConsentChannel, LastStatement>> }>
type LastStatement = Readonly<{ at: string; status: ConsentStatus }>

/** The contact as the log has it now; null where there is none any more. */
export async function readKnownPerson(
  log: StreamReader,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<KnownPerson | null> {
  const events = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  const state = events.reduce<ContactState>(contact.evolve, contact.initialState)
  const last: Partial<Record<ConsentChannel, LastStatement>> = {}
  for (const event of events)
    if (event.type === 'ContactConsentRecorded') last[event.data.channel] = { at: saidAt(event), status: event.data.to }
  return state.exists ? { contactId, state, last } : null
}

/** The statements of a line that are newer than what is known. At one time a withdrawal counts before a yes, in whatever order they come. */
export function newerConsents({ consents }: Person, known: Pick<KnownPerson, 'last' | 'state'> | null): readonly ConsentStatement[] {
  return consents
    .filter((said) => isNewer(said, known?.last[said.channel]))
    .map(({ channel, status, source, at }) => {
      return { channel, status, source, ip: null, userAgent: null, given: { at, known: known?.state.statements[channel] ?? 0 } }
    })
}

const isNewer = ({ status, at }: SaidConsent, last: LastStatement | undefined): boolean =>
  last === undefined || at > last.at || (at === last.at && status === 'unsubscribed' && last.status !== status)

/** What a line changes of the details: a cell that shows what is there already changes nothing, whatever its type. */
export function changedDetails({ details }: Person, known: KnownPerson): ContactPatch {
  const { customProperties, ...plain } = details
  if (customProperties === undefined) return plain
  const before = new Map<string, Json>(Object.entries(known.state.details.customProperties))
  const changed = Object.entries(customProperties).filter(([key, value]) => {
    const had = before.get(key)
    return had === undefined || typeof value !== 'string' || shownValue(had) !== value
  })
  return { ...plain, customProperties: Object.fromEntries(changed) }
}
