import { asApiKeyId, asContactId, type SignUpEvent } from '@tidings/domain'
import fc from 'fast-check'
import { maybe } from './arbitraries.ts'

/** A sign-up by a form, and sometimes its confirmation. */
export function signUpLife(signUpId: string): fc.Arbitrary<readonly SignUpEvent[]> {
  return fc
    .record({
      contactId: fc.uuid().map(asContactId),
      keyId: fc.uuid().map(asApiKeyId),
      sourceUrl: maybe(fc.webUrl()),
      isConfirmed: fc.boolean(),
    })
    .map(({ contactId, keyId, sourceUrl, isConfirmed }): readonly SignUpEvent[] => {
      const data = { signUpId, contactId, listId: null, keyId, formId: null, sourceUrl, confirmBy: null, pending: null }
      const submitted = { type: 'FormSubmitted', data } as const
      return isConfirmed ? [submitted, { type: 'SignUpConfirmed', data: { signUpId, contactId } }] : [submitted]
    })
}
