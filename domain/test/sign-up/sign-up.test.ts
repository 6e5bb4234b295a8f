import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { asContactId } from '../../src/ids.ts'
import { asApiKeyId, asFormId, asListId } from '../../src/index.ts'
import { type SignUpEvent, signUp } from '../../src/sign-up/sign-up.ts'

const { given } = specFor(signUp)

const data = {
  signUpId: 's',
  contactId: asContactId('c'),
  listId: asListId('l'),
  keyId: asApiKeyId('k'),
  formId: asFormId('footer'),
  sourceUrl: null,
  confirmBy: null,
  pending: null,
}
const submitted: SignUpEvent = { type: 'FormSubmitted', data }
const waiting: SignUpEvent = {
  type: 'FormSubmitted',
  data: {
    ...data,
    confirmBy: '2026-11-30T12:00:00.000Z',
    pending: { email: 'ada@example.com', phone: null, details: { firstName: 'Ada' } },
  },
}
const confirmed: SignUpEvent = { type: 'SignUpConfirmed', data: { signUpId: 's', contactId: asContactId('c') } }
const confirm = (at: string) => ({ type: 'ConfirmSignUp', data: { at } }) as const

describe('a sign-up', () => {
  it('is submitted once', () => {
    given().when({ type: 'SubmitForm', data }).thenEvents(submitted)
    given(waiting).when({ type: 'SubmitForm', data }).thenNothing()
  })

  it('is confirmed once, up to its last moment', () => {
    given(waiting).when(confirm('2026-11-30T12:00:00.000Z')).thenEvents(confirmed)
    given(waiting, confirmed).when(confirm('2026-11-24T12:00:00.000Z')).thenNothing()
  })

  it('that was confirmed stays so, however late the link is followed again', () => {
    given(waiting, confirmed).when(confirm('2027-01-01T00:00:00.000Z')).thenNothing()
  })

  it('is not confirmed after its time', () => {
    given(waiting).when(confirm('2026-11-30T12:00:00.001Z')).thenRefused('sign_up_expired')
  })

  it('without a submission, or one that took effect at once, has nothing to confirm', () => {
    given().when(confirm('2026-11-24T12:00:00.000Z')).thenRefused('sign_up_not_found')
    given(submitted).when(confirm('2026-11-24T12:00:00.000Z')).thenRefused('sign_up_not_found')
  })
})
