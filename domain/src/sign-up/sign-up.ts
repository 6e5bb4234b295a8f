import { contactSubject } from '../contact/contact.events.ts'
import type { ContactPatch } from '../contact/contact-state.ts'
import type { ApiKeyId, ContactId, FormId, ListId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'

/** The statements of the visitor about themselves: they change the contact only when the owner of `email` confirms it. */
export type PendingSignUp = Readonly<{ email: string; phone: string | null; details: ContactPatch }>

// Stored for ever: change only together with an upcast.
/** `keyId`: the API key of the page. `listId`: the list of the form, at that time. Without a confirmation `confirmBy` and `pending` are null. */
export type FormSubmitted = Event<
  'FormSubmitted',
  {
    signUpId: string
    contactId: ContactId
    listId: ListId | null
    keyId: ApiKeyId
    formId: FormId | null
    sourceUrl: string | null
    confirmBy: string | null
    pending: PendingSignUp | null
  }
>
type SignUpConfirmed = Event<'SignUpConfirmed', { signUpId: string; contactId: ContactId }>
export type SignUpEvent = FormSubmitted | SignUpConfirmed

export const signUpDeclarations = {
  FormSubmitted: { version: 1, personal: { subject: contactSubject, fields: ['formId', 'sourceUrl', 'pending'] } },
  SignUpConfirmed: { version: 1 },
} as const satisfies EventDeclarations & Record<SignUpEvent['type'], unknown>

/** A label as pages have them. Another text may be a person's, and the actor of a sign-up is stored in clear. */
const LABEL = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$/

export function isFormLabel(formId: string): boolean {
  return LABEL.test(formId)
}

type SubmitForm = Command<'SubmitForm', FormSubmitted['data']>
/** `at`: the moment of the click. */
type ConfirmSignUp = Command<'ConfirmSignUp', { at: string }>
type SignUpCommand = SubmitForm | ConfirmSignUp

export type SignUpState = Readonly<{ submitted: FormSubmitted['data'] | null; isConfirmed: boolean }>

/** A sign-up's own stream: `signup-<workspaceId>-<signUpId>`. */
export function signUpStream(workspaceId: WorkspaceId, signUpId: string): string {
  return `signup-${workspaceId}-${signUpId}`
}

const decide = (command: SignUpCommand, state: SignUpState): readonly SignUpEvent[] => {
  switch (command.type) {
    case 'SubmitForm':
      return state.submitted === null ? [{ type: 'FormSubmitted', data: command.data }] : []
    case 'ConfirmSignUp':
      return confirm(command.data.at, state)
    default:
      return command satisfies never
  }
}

const confirm = (at: string, { submitted, isConfirmed }: SignUpState): readonly SignUpEvent[] => {
  if (submitted === null || submitted.confirmBy === null) throw new Refused('sign_up_not_found')
  if (isConfirmed) return []
  if (at > submitted.confirmBy) throw new Refused('sign_up_expired')
  return [{ type: 'SignUpConfirmed', data: { signUpId: submitted.signUpId, contactId: submitted.contactId } }]
}

const evolve = (state: SignUpState, event: SignUpEvent): SignUpState => {
  switch (event.type) {
    case 'FormSubmitted':
      return { ...state, submitted: event.data }
    case 'SignUpConfirmed':
      return { ...state, isConfirmed: true }
    default:
      return event satisfies never
  }
}

/** One submission of an embedded form, and its confirmation where the form asks for one. */
export const signUp: Decider<SignUpCommand, SignUpEvent, SignUpState> = {
  decide,
  evolve,
  initialState: { submitted: null, isConfirmed: false },
}
