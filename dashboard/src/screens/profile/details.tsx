import type { Profile } from '../../api/calls.ts'
import { Facts } from '../../ui/facts.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'

/** Every field of the profile. */
export function Details({ profile }: Readonly<{ profile: Profile }>) {
  const words = useWords()
  const { none } = words.ui
  const text = (value: string | null) => (value === null || value === '' ? none : <bdi>{value}</bdi>)
  return (
    <Facts
      items={[
        [words.profile.firstName, text(profile.firstName)],
        [words.profile.lastName, text(profile.lastName)],
        [words.profile.locale, text(profile.locale)],
        [words.profile.timezone, text(profile.timezone)],
        [words.profile.validation, <Status key="validation" word={profile.emailValidationState} />],
        [words.profile.tags, text(profile.tags.join(', '))],
        [words.profile.notes, text(profile.notes)],
        ...Object.entries(profile.customProperties).map(
          ([name, value]) => [name, <bdi key={name}>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>] as const,
        ),
        [words.profiles.created, <Time key="created" at={profile.createdAt} />],
        [words.profiles.updated, <Time key="updated" at={profile.updatedAt} />],
      ]}
    />
  )
}
