import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { byCallers } from '../../chaos/callers.ts'
import type { PersonList } from './neighbour-channels.ts'
import { type NeighbourLoad, startCampaign } from './neighbour-load.ts'
import { type NeighbourWorld, now, type Person } from './neighbour-world.ts'
import type { Arrival } from './slow-provider.ts'

/**
 * What left after a stop. `after`: messages of those concerned that reached the provider after the answer, the last of them `lastSeconds` after it;
 * `isOver`: none came any more when this was written down.
 */
export type Stopped = Readonly<{ name: string; after: number; lastSeconds: number; isOver: boolean }>

const LOOK_MS = 200
const CALLERS = 4
const ERASING = 2

/** Seconds from the answer to each arrival that came after it. */
type Late = () => readonly number[]

/** Waits until nothing has come for a while. */
const quiet = async ({ sizes }: NeighbourWorld, late: Late): Promise<boolean> => {
  const started = performance.now()
  let [count, since] = [late().length, started]
  for (; performance.now() - started < sizes.atMostMs; await sleep(LOOK_MS)) {
    if (late().length !== count) [count, since] = [late().length, performance.now()]
    if (performance.now() - since > sizes.quietMs) return true
  }
  return false
}

const judged = async (world: NeighbourWorld, name: string, late: Late): Promise<Stopped> => {
  const isOver = await quiet(world, late)
  const seconds = late()
  const stopped = { name, after: seconds.length, lastSeconds: Math.max(0, ...seconds), isOver }
  const still = isOver ? '' : ', and they go on'
  world.bench.say(
    `${world.channel.name}: ${name}: ${stopped.after} after the answer, the last after ${stopped.lastSeconds.toFixed(1)} s${still}`,
  )
  return stopped
}

type CampaignStop = Readonly<{
  name: string
  stop: (campaignId: string) => Promise<unknown>
  resume: ((campaignId: string) => Promise<unknown>) | null
}>

const campaignStops = (world: NeighbourWorld): readonly CampaignStop[] => {
  const { change, channel, service, big } = world
  const move = (what: string) => (id: string) => change(['campaign', what, '--workspace', big.slug, '--id', id])
  const workspace = (what: string) => () => change(['workspace', what, big.slug])
  const sender = (what: string) => () => change(['sender', what, '--workspace', big.slug, '--id', channel.from(big.slug)])
  const blocklist = (isBlocked: boolean) => async () => {
    const file = join(service.dataDir, 'blocklisted.yaml')
    await writeFile(file, `workspace: { slug: ${big.slug}, name: ${big.slug} }\n${channel.sender(big.slug, isBlocked)}\n`)
    await change(['apply', '-f', file])
  }
  return [
    { name: 'campaign pause', stop: move('pause'), resume: move('resume') },
    { name: 'workspace suspend', stop: workspace('suspend'), resume: workspace('resume') },
    channel.channel === 'sms'
      ? { name: 'sender deactivate', stop: sender('deactivate'), resume: sender('approve') }
      : { name: 'sender domain blocklisted', stop: blocklist(true), resume: blocklist(false) },
    { name: 'campaign cancel', stop: move('cancel'), resume: null },
  ]
}

/** Stops the big campaign in every way, one after the other, each while it is being sent. */
export async function stopCampaigns(world: NeighbourWorld, load: NeighbourLoad): Promise<readonly Stopped[]> {
  const results: Stopped[] = []
  for (const { name, stop, resume } of campaignStops(world)) {
    const { id, mark } = await load.campaign()
    const all = (): readonly Arrival[] => world.arrivals(mark)
    const before = all().length
    const deadline = performance.now() + world.sizes.atMostMs
    while (all().length === before && performance.now() < deadline) await sleep(LOOK_MS)
    await stop(id)
    const at = now()
    results.push(await judged(world, name, () => all().flatMap((one) => (one.at > at ? [(one.at - at) / 1_000] : []))))
    await resume?.(id)
  }
  return results
}

type SaysNo = (person: Person) => Promise<number>

/** Resolves with the moment of the answer. */
const waysToSayNo = ({ people, change, channel, service, provider, arrivals }: NeighbourWorld): Readonly<Record<PersonList, SaysNo>> => {
  const asked = async (method: string, path: string, body: object): Promise<number> => {
    const { status } = await people.ask(method, path, body)
    if (status >= 300) throw new Error(`${path} was answered ${status}`)
    return now()
  }
  const byLink: SaysNo = async ({ address }) => {
    const link = arrivals('first').find(({ to }) => to === address)?.link ?? ''
    const response = await fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`a link to unsubscribe was answered ${response.status}`)
    return now()
  }
  return {
    stop: ({ address }) => provider.sayStop({ from: address, to: channel.from(people.slug), publicUrl: service.url }),
    unsubscribe:
      channel.channel === 'email' ? byLink : ({ id }) => asked('PATCH', `/public/profiles/${id}`, { smsConsent: 'unsubscribed' }),
    blacklist: ({ id }) => asked('POST', '/public/profiles/blacklist', { contactId: id, channel: channel.channel }),
    erase: async ({ id }) => {
      await change(['contact', 'erase', '--workspace', people.slug, '--id', id])
      return now()
    },
  }
}

const NAMES: Readonly<Record<PersonList, string>> = {
  stop: 'STOP',
  unsubscribe: 'unsubscribe',
  blacklist: 'blacklist',
  erase: 'contact erase',
}

/** Begins a campaign to the list, and resolves when each of its messages is queued or has left. */
const begin = async (world: NeighbourWorld, list: string, members: number): Promise<void> => {
  const { people, operator } = world
  const id = people.applied.campaigns[list] ?? ''
  await startCampaign(world, people.slug, id)
  type ShownCounts = Readonly<Record<'queued' | 'sent', number>>
  const begun = async (): Promise<boolean> => {
    const { queued, sent } = await operator<ShownCounts>(['campaign', 'show', '--workspace', people.slug, '--id', id])
    return queued + sent >= members
  }
  while (!(await begun())) await sleep(LOOK_MS)
}

/** The first of them is with the provider, so that the others are about to be. */
const firstLeft = async ({ arrivals, sizes, channel }: NeighbourWorld, list: PersonList): Promise<void> => {
  const deadline = performance.now() + sizes.firstMs
  for (; arrivals(list).length === 0; await sleep(LOOK_MS))
    if (performance.now() > deadline) throw new Error(`${channel.name}: nothing of the campaign to ${list} has left in time`)
}

/** Persons whom nothing has been sent yet say no, one after the other; when each was answered. */
const sayNo = async (world: NeighbourWorld, list: PersonList, say: SaysNo): Promise<ReadonlyMap<string, number>> => {
  const { persons, arrivals, sizes } = world
  const answered = new Map<string, number>()
  // A campaign leaves about in the order of its list: those at the end are the ones who can still say it.
  const members = [...(persons.get(list) ?? [])].reverse()
  const wanted = list === 'erase' ? sizes.erased : members.length
  await byCallers(list === 'erase' ? ERASING : CALLERS, members.length, async (n) => {
    const person = members[n]
    const isDone = person === undefined || answered.size >= wanted || arrivals(list).some(({ to }) => to === person.address)
    if (!isDone) answered.set(person.address, await say(person))
  })
  return answered
}

/** Persons of each list say no while a campaign to the list waits for the provider. */
export async function stopPersons(world: NeighbourWorld): Promise<readonly Stopped[]> {
  const ways = waysToSayNo(world)
  const results: Stopped[] = []
  for (const [list, members] of world.persons) {
    await begin(world, list, members.length)
    await firstLeft(world, list)
    const answered = await sayNo(world, list, ways[list])
    const all = (): readonly Arrival[] => world.arrivals(list)
    const late: Late = () =>
      all().flatMap(({ at, to }) => {
        const seconds = (at - (answered.get(to) ?? Number.POSITIVE_INFINITY)) / 1_000
        return seconds > 0 ? [seconds] : []
      })
    results.push(await judged(world, `${NAMES[list]}, ${answered.size} persons`, late))
  }
  return results
}

/** Those who will answer a text or follow a link get one, while nothing else is sent. */
export async function writeToPersons(world: NeighbourWorld): Promise<void> {
  const written = (['stop', 'unsubscribe'] as const).reduce((sum, list) => sum + (world.persons.get(list)?.length ?? 0), 0)
  await begin(world, 'first', written)
  const deadline = performance.now() + world.sizes.atMostMs
  while (world.arrivals('first').length < written && performance.now() < deadline) await sleep(LOOK_MS)
}
