import { type ContactReader, factsOf, type KnownContact, readContact } from '@tidings/directory'
import {
  type ConsentChannel,
  type ContactDetails,
  type ContactId,
  type ContactState,
  type EventFacts,
  noDetails,
  type RuleFacts,
  unknownContact,
  type WorkspaceId,
} from '@tidings/domain'

/** Somebody for whom steps are walked. `events`: of its stream, none of an example; `facts`: what rules ask, with the events that one asks for. */
export type WalkedPerson = Readonly<{
  state: ContactState
  events: KnownContact['events']
  facts: (counted: ReadonlyMap<string, EventFacts>) => RuleFacts
}>

/** A contact as the log has it. */
export function walkedContact(known: KnownContact): WalkedPerson {
  return { ...known, facts: (counted) => factsOf(known, counted) }
}

/** The same of one that is still to be read; null where there is none, or not any more. */
export async function readWalkedContact(
  log: ContactReader,
  of: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<WalkedPerson | null> {
  const known = await readContact(log, of)
  return known && walkedContact(known)
}

/** `agrees`: channels whose consent is `subscribed`; `now`: ms since 1970. */
export type Example = Readonly<{
  details: Partial<ContactDetails>
  email: string | null
  phone: string | null
  agrees: readonly ConsentChannel[]
  now: number
}>

/** Somebody who is in no workspace, as if made, and asked for consent, at this moment. */
export function walkedExample({ details, email, phone, agrees, now }: Example): WalkedPerson {
  const byChannel = <Value>(agreed: Value, other: Value) => {
    const of = (channel: ConsentChannel): Value => (agrees.includes(channel) ? agreed : other)
    return { email: of('email'), sms: of('sms'), push: of('push') }
  }
  const state: ContactState = {
    ...unknownContact,
    ...{ exists: true, email, phone, details: { ...noDetails, ...details } },
    consents: byChannel('subscribed', 'never_subscribed'),
    browsers: agrees.includes('push') ? [{ endpointHash: '', registration: 0 }] : [],
  }
  const consentAt = byChannel<number | null>(now, null)
  const times = { emailConsentTimestamp: consentAt.email, smsConsentTimestamp: consentAt.sms, pushConsentTimestamp: consentAt.push }
  return {
    ...{ state, events: [] },
    facts: (counted) => {
      const known = factsOf({ state, events: [] }, counted)
      return { ...known, profile: { ...known.profile, ...times, createdAt: now, updatedAt: now } }
    },
  }
}
