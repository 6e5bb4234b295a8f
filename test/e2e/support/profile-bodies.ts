import { type Prepare, people } from './prepared-request.ts'
import { profilesOf } from './profiles.ts'

/** What a body says about the person of a profile. */
export const details = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  timezone: 'Europe/London',
  locale: 'he',
  emailConsent: 'subscribed',
  smsConsent: 'subscribed',
  pushConsent: 'subscribed',
  tags: ['vip'],
  customProperties: { size: 42 },
  notes: 'A note',
}
const otherDetails = {
  firstName: 'Grace',
  lastName: 'Hopper',
  timezone: 'America/New_York',
  locale: 'en',
  emailConsent: 'unsubscribed',
  smsConsent: 'unsubscribed',
  pushConsent: 'unsubscribed',
  tags: ['b2b'],
  customProperties: { size: 43 },
  notes: 'Another note',
}
const sources = { emailConsentSource: 'till', smsConsentSource: 'till', pushConsentSource: 'till' }
const otherSources = { emailConsentSource: 'fair', smsConsentSource: 'fair', pushConsentSource: 'fair' }
export const profile = { email: 'new.#@example.com', phone: '+97253#', ...details, ...sources }
export const otherProfile = { email: 'newer.#@example.com', phone: '+97254#', ...otherDetails, ...otherSources }

const addressed = (word: string) =>
  Object.fromEntries(
    ['city', 'country', 'stateProvince', 'zip', 'address1', 'address2', 'gender', 'jobTitle'].map((key) => [key, `${key} ${word}`]),
  )

export const byEmail: Prepare = async (place) => {
  await people(place)
  return {
    body: {
      email: 'ada.#@example.com',
      newEmail: 'new.#@example.com',
      phone: '+97253#',
      ...details,
      ...addressed('one'),
      dateOfBirth: '1815-12-10',
    },
    others: {
      email: 'bob.#@example.com',
      newEmail: 'newer.#@example.com',
      phone: '+97254#',
      ...otherDetails,
      ...addressed('two'),
      dateOfBirth: '1906-12-09',
    },
  }
}

/** A body of the blacklist's routes: `isBlocked` where its people are on it already. */
export function blocking(isBlocked: boolean): (by: 'email' | 'contactId') => Prepare {
  return (by) => async (place) => {
    const { ada, bob } = await people(place)
    const { blacklist } = profilesOf(place.client)
    if (isBlocked) for (const contactId of [ada, bob]) await blacklist({ contactId, channel: 'both' })
    const [whom, other] = by === 'email' ? ['ada.#@example.com', 'bob.#@example.com'] : [ada, bob]
    return { body: { [by]: whom, channel: 'email' }, others: { [by]: other, channel: 'sms' } }
  }
}
