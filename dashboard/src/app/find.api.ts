import { personName } from '@tidings/domain'
import { type MessageRecord, type Page, type Profile, queryOf } from '../api/calls.ts'
import { ApiProblem, client } from '../api/client.ts'
import { kindOf } from './find-kind.ts'

export type FoundThing = Readonly<{ kind: 'profile' | 'message'; id: string; text: string; more: string }>

const FOUND = 8

const profileFound = (profile: Profile): FoundThing => ({
  kind: 'profile',
  id: profile.id,
  text: personName(profile) ?? profile.id,
  more: [profile.email, profile.phone].filter(Boolean).join(' · '),
})

/** Null where there is none: an id names one thing, and each is asked for. */
async function orNull<Data>(reading: Promise<Data>): Promise<Data | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 404) return null
    throw error
  })
}

async function byId(id: string, signal: AbortSignal): Promise<readonly FoundThing[]> {
  const [profile, message] = await Promise.all([
    orNull(client.read<Profile>(`/dashboard/profiles/${id}`, signal)),
    orNull(client.read<MessageRecord>(`/dashboard/messages/${id}`, signal)),
  ])
  const found: FoundThing[] = profile === null ? [] : [profileFound(profile)]
  if (message !== null) found.push({ kind: 'message', id: message.id, text: `${message.channel} · ${message.status}`, more: message.id })
  return found
}

export async function find(text: string, signal: AbortSignal): Promise<readonly FoundThing[]> {
  const wanted = text.trim()
  const kind = kindOf(wanted)
  if (kind === 'nothing') return []
  if (kind === 'id') return byId(wanted.toLowerCase(), signal)
  const page = await client.read<Page<Profile>>(`/dashboard/profiles${queryOf({ search: wanted.slice(0, 255), limit: FOUND })}`, signal)
  return page.items.map(profileFound)
}
