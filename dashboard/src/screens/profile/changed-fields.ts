import { type ContactField, contactTextNames } from '@tidings/domain'
import type { Profile, ProfileBody } from '../../api/calls.ts'

export type Fields = Readonly<Record<'email' | 'phone' | Exclude<ContactField, 'customProperties'>, string>>

/** The texts about a person that are one line. */
export const lineNames = contactTextNames.filter((name) => name !== 'notes')

/** What the form shows of a profile. */
export function fieldsOf(profile: Profile): Fields {
  return {
    email: profile.email ?? '',
    phone: profile.phone ?? '',
    firstName: profile.firstName ?? '',
    lastName: profile.lastName ?? '',
    locale: profile.locale ?? '',
    timezone: profile.timezone ?? '',
    notes: profile.notes ?? '',
    tags: profile.tags.join(', '),
  }
}

const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

/** What is sent: only what was changed, so that a colleague's change of another field stays. */
export function changedFields(profile: Profile, now: Fields): ProfileBody {
  const before = fieldsOf(profile)
  const { notes, tags } = now
  const lines = (['email', 'phone', ...lineNames] as const).filter((name) => now[name] !== before[name])
  return {
    ...Object.fromEntries(lines.map((name) => [name, now[name]])),
    ...(notes !== before.notes && { notes: notes === '' ? null : notes }),
    ...(tags !== before.tags && { tags: tagsIn(tags) }),
  }
}
