import { setTimeout as sleep } from 'node:timers/promises'
import { byCallers } from '../../chaos/callers.ts'
import { CAMPAIGNS, type NeighbourWorld } from './neighbour-world.ts'

const LOOK_MS = 1_000
const CALLERS = 8
/** Ranges of addresses, behind those of the persons. */
const BURST_PART = 6

/** Campaigns of the one neighbour and bursts of the other, so that both always wait for the provider. */
export type NeighbourLoad = Readonly<{
  /** The campaign that is being sent; a new one where the last is over. */
  campaign: () => Promise<Readonly<{ id: string; mark: string }>>
  /** The load does not renew itself from now on. */
  settle: () => Promise<void>
}>

/** `campaign` of a workspace is started, and is being sent when this resolves. */
export async function startCampaign({ change }: NeighbourWorld, slug: string, id: string): Promise<void> {
  await change(['campaign', 'start', '--workspace', slug, '--id', id])
}

/** A stop may have ended it: a campaign from a listed domain fails. */
const isSending = async ({ operator, big }: NeighbourWorld, id: string): Promise<boolean> => {
  const { status } = await operator<Readonly<{ status: string }>>(['campaign', 'show', '--workspace', big.slug, '--id', id])
  return status === 'sending'
}

export async function startLoad(world: NeighbourWorld): Promise<NeighbourLoad> {
  const { big, burst, channel, sizes, arrivals, bench } = world
  let current = -1
  const isOver = (mark: string, of: number): boolean => arrivals(mark).length >= of
  const next = async (): Promise<void> => {
    current++
    if (current >= CAMPAIGNS) throw new Error('there are too few campaigns for this provider')
    await startCampaign(world, big.slug, big.applied.campaigns[`c${current}`] ?? '')
  }
  let bursts = 0
  const send = (): Promise<unknown> => {
    bursts++
    return byCallers(CALLERS, sizes.burst, async (n) => {
      const to = channel.address({ part: BURST_PART, n })
      const { status } = await burst.ask('POST', channel.path, channel.message(burst.slug, to, 'burst'))
      if (status !== 202) throw new Error(`a transactional message was answered ${status}`)
    })
  }
  await Promise.all([next(), send()])
  const ending = new AbortController()
  const renewed = (async () => {
    for (; !ending.signal.aborted; await sleep(LOOK_MS)) {
      if (isOver(`c${current}`, sizes.campaign)) await next()
      if (isOver('burst', bursts * sizes.burst)) await send()
    }
  })()
  const settle = async (): Promise<void> => {
    ending.abort()
    await renewed
  }
  renewed.catch((error: Error) => bench.say(error.message)) // rejects in settle
  bench.after(async () => ending.abort())
  return {
    campaign: async () => {
      if (!(await isSending(world, big.applied.campaigns[`c${current}`] ?? ''))) await next()
      return { id: big.applied.campaigns[`c${current}`] ?? '', mark: `c${current}` }
    },
    settle,
  }
}
