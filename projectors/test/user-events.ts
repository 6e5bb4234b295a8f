import { USER_ROLES, type UserEvent } from '@tidings/domain'
import fc from 'fast-check'

/** A user who is set several times, removed, and set again. */
export function userLife(userId: string): fc.Arbitrary<readonly UserEvent[]> {
  const configured = fc
    .tuple(fc.emailAddress(), fc.constantFrom(...USER_ROLES))
    .map(([email, role]): UserEvent => ({ type: 'UserConfigured', data: { userId, email, passwordHash: '$scrypt$…', role } }))
  const removed = fc.constant<UserEvent>({ type: 'UserRemoved', data: { userId } })
  return fc.tuple(configured, fc.array(fc.oneof(configured, removed), { maxLength: 3 })).map(([first, more]) => [first, ...more])
}
