import { type AppendContext, SubjectErased } from '@tidings/codec'
import { contact, contactStream, type FormSubmitted, type PendingSignUp, Refused, signUp, signUpStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Dependencies } from '../dependencies.ts'
import { formActor } from './form-context.ts'
import { type Evidence, formConsent, joinList } from './subscribe-contact.ts'

type OfSignUp = Readonly<{ workspaceId: string; signUpId: string }>
type Clicked = Readonly<{ evidence: Evidence; requestId: string }>
type Confirmed = Readonly<{ outcome: 'confirmed' | 'unknown' | 'expired'; positions: readonly (Position | null)[] }>
type Waiting = FormSubmitted['data'] & Readonly<{ pending: PendingSignUp }>

const UNKNOWN: Confirmed = { outcome: 'unknown', positions: [] }

/**
 * Lets a sign-up take effect: consent, what the visitor said, membership, then the sign-up is confirmed. Each step is idempotent under an id
 * of the sign-up, so that a click after a crash does the rest, and one after a later unsubscription changes nothing.
 */
export async function confirmSignUp(deps: Dependencies, { workspaceId, signUpId }: OfSignUp, clicked: Clicked): Promise<Confirmed> {
  const stream = signUpStream(workspaceId, signUpId)
  const { state } = await deps.commands.load({ decider: signUp, stream, workspaceId })
  const waiting = waitingIn(state.submitted)
  if (waiting === null) return UNKNOWN
  if (state.isConfirmed) return { outcome: 'confirmed', positions: [] }
  const at = deps.now()
  if (at > (waiting.confirmBy ?? '')) return { outcome: 'expired', positions: [] }
  const context = { commandId: `${signUpId}.confirm`, workspaceId, actor: formActor(waiting.formId), requestId: clicked.requestId, at }
  try {
    if (!(await stillHas(deps, workspaceId, waiting))) return UNKNOWN
    const consent = await giveConsent(deps, { context, waiting, evidence: clicked.evidence })
    const joined = waiting.listId === null ? null : await joinList(deps, { context, listId: waiting.listId, contactId: waiting.contactId })
    await deps.commands.execute({ decider: signUp, stream, command: { type: 'ConfirmSignUp', data: { at } }, context })
    return { outcome: 'confirmed', positions: [consent, joined] }
  } catch (error) {
    if (error instanceof SubjectErased || (error instanceof Refused && error.code === 'contact_not_found')) return UNKNOWN
    throw error
  }
}

/** Null for one that took effect at once, and for that of an erased person. */
const waitingIn = (submitted: FormSubmitted['data'] | null): Waiting | null =>
  submitted === null || submitted.pending === null ? null : { ...submitted, pending: submitted.pending }

/** The mail went to the address that the contact had: its owner does not speak for another. */
const stillHas = async ({ commands }: Dependencies, workspaceId: string, { contactId, pending }: Waiting): Promise<boolean> => {
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.exists && state.email === pending.email
}

type Consenting = Readonly<{ context: AppendContext; waiting: Waiting; evidence: Evidence }>

/** The consent counts also where the rest is refused by now: another contact has the phone, or the properties grew too large. */
const giveConsent = async ({ uniqueContacts }: Dependencies, { context, waiting, evidence }: Consenting): Promise<Position | null> => {
  const { contactId, pending } = waiting
  const consent = { context, contactId, consents: [formConsent(evidence)] }
  const { phone, details } = pending
  try {
    return (await uniqueContacts.update({ ...consent, details, ...(phone !== null && { phone }) })).position
  } catch (error) {
    if (!(error instanceof Refused) || error.code === 'contact_not_found') throw error
    return (await uniqueContacts.update(consent)).position
  }
}
