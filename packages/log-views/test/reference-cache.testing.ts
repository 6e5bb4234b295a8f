import type { Recorded } from '@tidings/codec'
import { asContactId, type ContactId } from '@tidings/domain'
import { onTestFinished } from 'vitest'
import { createFollower } from '../src/follower.ts'
import { createReferenceCache, type LoadedRows } from '../src/reference-cache.ts'
import { at, recorded, scriptedLog } from './testing/scripted-log.ts'

type ContactRow = Readonly<{ contactId: ContactId; email: string; version: number }>

export function created(contactId: ContactId, email: string, commit: number): Recorded {
  return recorded(
    {
      type: 'ContactCreated',
      data: {
        contactId,
        email,
        emailClaimId: null,
        phone: null,
        phoneClaimId: null,
        source: 'api',
        firstName: null,
        lastName: null,
        timezone: null,
        locale: null,
        notes: null,
        tags: [],
        customProperties: {},
      },
    },
    commit,
  )
}
export function moved(contactId: ContactId, email: string, commit: number): Recorded {
  return recorded({ type: 'ContactEmailChanged', data: { contactId, email, claimId: 'c' } }, commit)
}

/** A cache of contacts by email over a log that delivers what the test says and a table that the test fills; its follower is closed after the test. */
export async function world(max = 100) {
  const script = scriptedLog()
  let time = 0
  const errors: unknown[] = []
  const table = new Map<string, ContactRow>()
  const loads: (readonly string[])[] = []
  const source = { position: 10, answer: (rows: LoadedRows<ContactRow>) => Promise.resolve(rows) }
  const cache = createReferenceCache<ContactRow>({
    name: 'contacts by email',
    max,
    load: async (keys) => {
      loads.push(keys)
      const rows = new Map([...table].filter(([key]) => keys.includes(key)))
      return source.answer({ rows, position: at(source.position) })
    },
    tagsOf: ({ contactId }) => [`contact ${contactId}`],
    invalidates: {
      ContactCreated: ({ data }) => [data.email ?? ''],
      ContactEmailChanged: ({ data }) => [data.email ?? '', `contact ${data.contactId}`],
    },
  })
  const follower = createFollower({ log: script.log, views: [cache], now: () => time, onError: (error) => errors.push(error) })
  onTestFinished(follower.close)
  await script.deliver([], 10)
  return { cache, table, loads, source, errors, follower, ...script, pass: (ms: number) => (time += ms) }
}

export const ada: ContactRow = { contactId: asContactId('1'), email: 'ada@x.de', version: 1 }
