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
  sameJson,
  type WorkspaceId,
} from '@tidings/domain'
import { joinedTexts, splitTexts } from '../file/csv-cell.ts'
import type { Person, SaidConsent } from '../line/person-of.ts'
import { shownValue } from '../line/property-cells.ts'

/** `last`: the statement of each channel that counts now. */
export type KnownPerson = Readonly<{ contactId: ContactId; state: ContactState; last: LastStatements }>
export type LastStatements = Readonly<Partial<Record<ConsentChannel, LastStatement>>>
/** `isCleaned`: the channel was found to be of no use, and only files have said something of it since. */
type LastStatement = Readonly<{ at: string; status: ConsentStatus; isCleaned: boolean }>

/** The contact as the log has it now; null where there is none any more. */
export async function readKnownPerson(
  log: StreamReader,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<KnownPerson | null> {
  const events = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  const state = events.reduce<ContactState>(contact.evolve, contact.initialState)
  const last = events.reduce<LastStatements>((known, event) => statementsAfter(known, event, event.meta.at), {})
  return state.exists ? { contactId, state, last } : null
}

/** The last statements as an event that is recorded at that time leaves them. Another address was not found to be of no use. */
export function statementsAfter(last: LastStatements, event: ContactEvent, recordedAt: string): LastStatements {
  const { sms, email } = last
  if (event.type === 'ContactPhoneChanged') return { ...last, ...(sms && { sms: { ...sms, isCleaned: false } }) }
  if (event.type === 'ContactEmailChanged') return { ...last, ...(email && { email: { ...email, isCleaned: false } }) }
  if (event.type !== 'ContactConsentRecorded') return last
  const { channel, to, givenAt } = event.data
  const isCleaned = to === 'cleaned' || (givenAt !== undefined && last[channel]?.isCleaned === true)
  return { ...last, [channel]: { at: saidAt({ data: event.data, meta: { at: recordedAt } }), status: to, isCleaned } }
}

/** The statements of a line that are newer than what is known. At one time a withdrawal counts before a yes, in whatever order they come. */
export function newerConsents({ consents }: Person, known: Pick<KnownPerson, 'last' | 'state'> | null): readonly ConsentStatement[] {
  return consents
    .filter((said) => isNewer(said, known?.last[said.channel]))
    .map(({ channel, status, source, at }) => {
      return { channel, status, source, ip: null, userAgent: null, given: { at, known: known?.state.statements[channel] ?? 0 } }
    })
}

const isNewer = (said: SaidConsent, last: LastStatement | undefined): boolean =>
  last === undefined ||
  (!lifts(said, last) && (said.at > last.at || (said.at === last.at && isWithdrawal(said) && last.status !== said.status)))

const isWithdrawal = ({ status }: Readonly<{ status: ConsentStatus }>): boolean => status === 'unsubscribed'

/** No yes opens what is of no use, not by way of a withdrawal either; that nothing was ever said takes no withdrawal back. */
const lifts = ({ status }: SaidConsent, last: LastStatement): boolean =>
  (status === 'subscribed' && last.isCleaned) || (status === 'never_subscribed' && (last.isCleaned || isWithdrawal(last)))

/** What a line changes of the details: a cell that shows what is there already changes nothing, whatever its type. */
export function changedDetails({ details }: Person, known: KnownPerson): ContactPatch {
  const { customProperties: before, ...had } = known.state.details
  const { customProperties, ...plain } = details
  return { ...changedOf(plain, had), ...(customProperties && { customProperties: changedOf(customProperties, before) }) }
}

const changedOf = (values: Readonly<Record<string, Json>>, before: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> => {
  const known = new Map(Object.entries(before))
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => !isShown(value, known.get(key))))
}

/** A list of texts is shown where its texts are read as these. */
const isShown = (value: Json, had: Json | undefined): boolean => {
  if (had === undefined || sameJson(value, had)) return had !== undefined
  if (typeof value === 'string') return shownValue(had) === value
  return isTexts(value) && isTexts(had) && sameJson(splitTexts(joinedTexts(had)), value)
}

const isTexts = (value: Json): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === 'string')
