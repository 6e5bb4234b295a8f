import type { Profile, ProfileBody } from '../../api/calls.ts'

export type Fields = Readonly<Record<'email' | 'phone' | 'firstName' | 'lastName' | 'locale' | 'timezone' | 'notes' | 'tags', string>>

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
  const names = ['email', 'phone', 'firstName', 'lastName', 'locale', 'timezone'] as const
  const texts = names.flatMap((name) => (now[name] === before[name] ? [] : [[name, now[name]] as const]))
  return {
    ...Object.fromEntries(texts),
    ...(now.notes !== before.notes && { notes: now.notes === '' ? null : now.notes }),
    ...(now.tags !== before.tags && { tags: tagsIn(now.tags) }),
  }
}
