import { emailKey } from '@tidings/addresses'
import { type AppendContext, SubjectErased } from '@tidings/codec'
import type { CommandRunner, Draft } from '@tidings/commands'
import {
  contact,
  contactStream,
  type FormSubmitted,
  ownValue,
  type PendingSignUp,
  Refused,
  signUp,
  signUpStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { UniqueContacts } from '@tidings/unique-contacts'
import { formActor } from './form-context.ts'
import { draftJoining, draftOf, type Evidence, formConsent, joinList } from './subscribe-contact.ts'

type Confirming = Readonly<{ commands: CommandRunner; uniqueContacts: UniqueContacts; now: () => string }>
type OfSignUp = Readonly<{ workspaceId: WorkspaceId; signUpId: string }>
type Clicked = Readonly<{ evidence: Evidence; requestId: string }>
/** `email`: whose owner confirmed just now. */
type Confirmed = Readonly<{ outcome: 'confirmed' | 'unknown' | 'expired'; positions: readonly (Position | null)[]; email?: string }>
type Waiting = FormSubmitted['data'] & Readonly<{ pending: PendingSignUp }>

const UNKNOWN: Confirmed = { outcome: 'unknown', positions: [] }

/**
 * Lets a sign-up take effect: consent, what the visitor said, membership, and that it is confirmed, in one append where the log can. Else one
 * after the other, each idempotent under an id of the sign-up, so that a click after a crash does the rest, and one after a later
 * unsubscription changes nothing.
 */
export async function confirmSignUp(deps: Confirming, { workspaceId, signUpId }: OfSignUp, clicked: Clicked): Promise<Confirmed> {
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
    const confirming = { decider: signUp, stream, command: { type: 'ConfirmSignUp', data: { at } }, context } as const
    const joining = { context, listId: waiting.listId, contactId: waiting.contactId }
    const draftsFor = async () => [...draftOf(deps.commands.draft(confirming)), ...(await draftJoining(deps, joining))]
    const isAnonymous = !(await isOfSecretKey(deps, workspaceId, waiting))
    const consent = await giveConsent(deps, { context, waiting, isAnonymous, evidence: clicked.evidence, draftsFor })
    const email = waiting.pending.email
    if (consent.appended.length > 0)
      return { outcome: 'confirmed', positions: [consent, ...consent.appended].map(({ position }) => position), email }
    const joined = await joinList(deps, joining)
    await deps.commands.execute(confirming)
    return { outcome: 'confirmed', positions: [consent.position, joined], email }
  } catch (error) {
    if (error instanceof SubjectErased || (error instanceof Refused && error.code === 'contact_not_found')) return UNKNOWN
    throw error
  }
}

/** Null for one that took effect at once, and for that of an erased person. */
const waitingIn = (submitted: FormSubmitted['data'] | null): Waiting | null =>
  submitted === null || submitted.pending === null ? null : { ...submitted, pending: submitted.pending }

/** The mail went to the address that the contact had: its owner does not speak for another. */
const stillHas = async ({ commands }: Confirming, workspaceId: WorkspaceId, { contactId, pending }: Waiting): Promise<boolean> => {
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.exists && state.email !== null && emailKey(state.email) === emailKey(pending.email)
}

/** A key that the workspace does not know is taken for one that anyone may have. */
const isOfSecretKey = async ({ commands }: Confirming, workspaceId: WorkspaceId, { keyId }: Waiting): Promise<boolean> => {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  return ownValue(state.apiKeys, keyId)?.kind === 'secret'
}

type Consenting = Readonly<{
  context: AppendContext
  waiting: Waiting
  isAnonymous: boolean
  evidence: Evidence
  draftsFor: () => Promise<readonly Draft[]>
}>

/**
 * The consent counts also where the rest is refused by now: another contact has the phone, or the properties grew too large. The person who clicks owns the
 * address and did not write the fields: those of an anonymous visitor fill what is empty, and his phone is left out (M63).
 */
const giveConsent = async ({ uniqueContacts }: Confirming, { context, waiting, isAnonymous, evidence, draftsFor }: Consenting) => {
  const { contactId, pending } = waiting
  const consent = { context, contactId, consents: [formConsent(evidence)], draftsFor }
  const { phone, details } = pending
  try {
    return await uniqueContacts.update({ ...consent, details, ...(isAnonymous ? { fillsOnly: true } : phone !== null && { phone }) })
  } catch (error) {
    if (!(error instanceof Refused) || error.code === 'contact_not_found') throw error
    return await uniqueContacts.update(consent)
  }
}
