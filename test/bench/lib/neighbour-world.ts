import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { byCallers } from '../../chaos/callers.ts'
import type { Bench } from './bench.ts'
import { markOf, type NeighbourChannel, type PersonList } from './neighbour-channels.ts'
import { type Service, startService } from './service.ts'
import { type Arrival, type SlowProvider, startSlowProvider } from './slow-provider.ts'
import { tidings } from './workspace.ts'

/**
 * `campaign`, `burst`: messages; `people`: members of each list whose persons say no, of whom `erased` are erased; `samples`: of the third workspace;
 * `quietMs`: how long nothing may come until a stop is over, which is waited for `atMostMs`; `firstMs`: within which a campaign's first message leaves.
 */
export type NeighbourSizes = Readonly<
  Record<'campaign' | 'burst' | 'people' | 'erased' | 'samples' | 'quietMs' | 'atMostMs' | 'firstMs', number>
>

/** What the workspace file made. */
type Applied = Readonly<{
  workspace: { slug: string }
  apiKeys: readonly { key: string }[]
  lists: Readonly<Record<string, string>>
  campaigns: Readonly<Record<string, string>>
}>

export type Answer = Readonly<{ status: number; message: string; data: Readonly<Record<string, unknown>> }>

/** A workspace, and its integrator. */
type Neighbour = Readonly<{ slug: string; applied: Applied; ask: (method: string, path: string, body: object) => Promise<Answer> }>

export type Person = Readonly<{ id: string; address: string }>

/** `big` runs campaigns, `burst` sends many transactional messages, `own` is measured, and in `people` persons say no. */
export type NeighbourWorld = Readonly<{
  bench: Bench
  channel: NeighbourChannel
  sizes: NeighbourSizes
  service: Service
  provider: SlowProvider
  /** What reached the provider with that mark so far. */
  arrivals: (mark: string) => readonly Arrival[]
  operator: <Printed>(args: readonly string[]) => Promise<Printed>
  /** A command that changes something: one that is written, and that a busy read side does not show for half a minute, has succeeded here. */
  change: (args: readonly string[]) => Promise<void>
  big: Neighbour
  burst: Neighbour
  own: Neighbour
  people: Neighbour
  persons: ReadonlyMap<PersonList, readonly Person[]>
  stop: () => Promise<void>
}>

/** Campaigns of `big` to the same list, one after the other. */
export const CAMPAIGNS = 20
/** A campaign to those who answer it later, or follow its link. */
const FIRST = 'first'
const CALLERS = 16
/** Contacts of one request that adds to a list. */
const ADDED = 100
const POLL_MS = 100
const WRITTEN = 'It is written, but the read side has not shown it'

/** Milliseconds since 1970, with fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now()
}

const fileOf = ({ sender, template, channel, from }: NeighbourChannel, slug: string, campaigns: readonly (readonly [string, string])[]) =>
  `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: bench }]
${sender(slug)}
credits: 100000000
templates:
${campaigns.map(([mark]) => `  - ${template(mark)}`).join('\n') || '  []'}
lists:
${[...new Set(campaigns.map(([, list]) => list))].map((list) => `  - { name: ${list}, type: static }`).join('\n') || '  []'}
campaigns:
${campaigns.map(([mark, list]) => `  - { name: ${mark}, channel: ${channel}, list: ${list}, template: ${mark}, from: "${from(slug)}" }`).join('\n') || '  []'}
`

const integratorOf = (url: string, { workspace: { slug }, apiKeys }: Applied): Neighbour['ask'] => {
  const headers = { 'content-type': 'application/json', 'x-sender-tenant': slug, 'x-api-key': apiKeys[0]?.key ?? '' }
  return async (method, path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    const { message = '', data = {} } = (await response.json()) as Partial<Answer>
    return { status: response.status, message, data }
  }
}

const listen = (bench: Bench, provider: SlowProvider) => {
  const byMark = new Map<string, Arrival[]>()
  const ended = new AbortController()
  const done = (async () => {
    for (; !ended.signal.aborted; await sleep(POLL_MS))
      for (const arrival of await provider.take()) {
        const mark = markOf(arrival.text)
        const known = byMark.get(mark)
        if (known === undefined) byMark.set(mark, [arrival])
        else known.push(arrival)
      }
  })()
  const close = async (): Promise<void> => {
    ended.abort()
    await done
  }
  bench.after(close)
  return { arrivals: (mark: string): readonly Arrival[] => byMark.get(mark) ?? [], close }
}

type Filling = Readonly<{ channel: NeighbourChannel; part: number; count: number }>

const contacts = ({ ask }: Neighbour, { channel, part, count }: Filling): Promise<readonly Person[]> =>
  byCallers(CALLERS, count, async (n) => {
    const { status, data } = await ask('PUT', '/public/profiles', channel.contact({ part, n }))
    if (status !== 200) throw new Error(`a contact was answered ${status}`)
    return { id: String(data.id), address: channel.address({ part, n }) }
  })

async function addTo({ ask, applied }: Neighbour, list: string, members: readonly Person[]): Promise<void> {
  const ids = members.map(({ id }) => id)
  for (let n = 0; n < ids.length; n += ADDED) {
    const { status } = await ask('POST', `/public/lists/${applied.lists[list]}/members`, { contactIds: ids.slice(n, n + ADDED) })
    if (status !== 200) throw new Error(`members of a list were answered ${status}`)
  }
}

/** Lists of those who say no, each in its way. */
async function fillPersons(people: Neighbour, channel: NeighbourChannel, sizes: NeighbourSizes): Promise<NeighbourWorld['persons']> {
  const persons = new Map<PersonList, readonly Person[]>()
  for (const [n, list] of channel.persons.entries()) {
    const members = await contacts(people, { channel, part: n + 1, count: sizes.people })
    persons.set(list, members)
    await addTo(people, list, members)
    if (list === 'stop' || list === 'unsubscribe') await addTo(people, FIRST, members)
  }
  return persons
}

/** A service beside a provider that is slow, and four workspaces with their contacts. */
export async function startNeighbours(bench: Bench, channel: NeighbourChannel, sizes: NeighbourSizes): Promise<NeighbourWorld> {
  const provider = await startSlowProvider(channel.kind, channel.answerMs)
  bench.after(provider.stop)
  bench.say(`${channel.name}: starting the service (all roles in one process), ${sizes.campaign} contacts`)
  const env = channel.settings(provider.url)
  const service = await startService(bench, { dataDir: await bench.folder(), env, isPublic: true })
  const { arrivals, close } = listen(bench, provider)
  const operator = <Printed>(args: readonly string[]): Promise<Printed> => tidings<Printed>(service.dataDir, args, service.settings)
  const change = async (args: readonly string[]): Promise<void> => {
    await operator(args).catch((error: Error) => {
      if (!error.message.includes(WRITTEN)) throw error
    })
  }
  const neighbour = async (slug: string, campaigns: readonly (readonly [string, string])[] = []): Promise<Neighbour> => {
    const file = join(service.dataDir, `${slug}.yaml`)
    await writeFile(file, fileOf(channel, slug, campaigns))
    const applied = await operator<Applied>(['apply', '-f', file])
    return { slug, applied, ask: integratorOf(service.url, applied) }
  }
  const big = await neighbour(
    'big',
    Array.from({ length: CAMPAIGNS }, (_, n) => [`c${n}`, 'All']),
  )
  const [burst, own] = [await neighbour('burst'), await neighbour('own')]
  const people = await neighbour(
    'people',
    [FIRST, ...channel.persons].map((list) => [list, list]),
  )
  await addTo(big, 'All', await contacts(big, { channel, part: 0, count: sizes.campaign }))
  const persons = await fillPersons(people, channel, sizes)
  const stop = async (): Promise<void> => {
    await service.stop()
    await close()
    await provider.stop()
  }
  return { bench, channel, sizes, service, provider, arrivals, operator, change, big, burst, own, people, persons, stop }
}
