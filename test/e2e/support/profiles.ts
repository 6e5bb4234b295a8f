import type { Page, Profile } from '@tidings/contracts'
import { dataOf } from './answers.ts'
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'

type Input = Readonly<Record<string, unknown>>

/** The profile routes of one workspace, answering with the profile; whatever else is answered fails the test. */
export function profilesOf({ request }: Client) {
  const get = async (id: string) => dataOf<Profile>(await request('GET', `/public/profiles/${id}`), 200)
  return {
    create: async (body: Input) => dataOf<Profile>(await request('POST', '/public/profiles', body), 201),
    upsert: async (body: Input) => dataOf<Profile>(await request('PUT', '/public/profiles', body), 200),
    patchByEmail: async (body: Input) => dataOf<Profile>(await request('PATCH', '/public/profiles', body), 200),
    patch: async (id: string, body: Input) => dataOf<Profile>(await request('PATCH', `/public/profiles/${id}`, body), 200),
    blacklist: async (body: Input) => dataOf<Profile>(await request('POST', '/public/profiles/blacklist', body), 200),
    lift: async (body: Input) => dataOf<Profile>(await request('DELETE', '/public/profiles/blacklist', body), 200),
    lookup: async (email: string) =>
      dataOf<Profile>(await request('GET', `/public/profiles/lookup?email=${encodeURIComponent(email)}`), 200),
    list: async (query = '') => dataOf<Page<Profile>>(await request('GET', `/public/profiles${query}`), 200),
    get,
    /** Asks for a profile until it is as wanted: what follows from receipts reaches it later. */
    getWhen: (id: string, isWanted: (profile: Profile) => boolean) => eventually(() => get(id), isWanted),
  }
}
