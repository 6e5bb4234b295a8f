import type { Recorded } from '@tidings/codec'
import { type ContactEvent, type ContactState, evolveContact, unknownContact } from '@tidings/domain'

/** A contact as of one of its events. `erased`: the log no longer shows all of it. */
export type ContactAsOf = Readonly<{ state: ContactState; revision: number; createdAt: string | undefined; erased: boolean }>

/** Before the first event. */
export const contactBefore: ContactAsOf = { state: unknownContact, revision: -1, createdAt: undefined, erased: false }

/** The contact after one more event. */
export function contactAfter(contact: ContactAsOf, event: Recorded<ContactEvent>): ContactAsOf {
  return {
    state: evolveContact(contact.state, event),
    revision: event.revision,
    createdAt: contact.createdAt ?? event.meta.at,
    erased: contact.erased || event.erased,
  }
}
