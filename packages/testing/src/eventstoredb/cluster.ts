import { type EventStoreFixture, startEventStoreFixture } from './fixture.ts'

/** Three nodes with one log. What is committed is on all that are in touch with the leader. */
export type EventStoreCluster = Readonly<{
  /** Names all three. */
  connectionString: string
  nodes: readonly EventStoreFixture[]
  leader: () => EventStoreFixture
  /** Moves the leadership in good order. */
  elect: (leader: EventStoreFixture) => void
  /** Cuts the leader off, and answers it. It goes on leading for whom it reaches: its reads are of what it had, its appends have no answer. */
  cutOffLeader: () => EventStoreFixture
  /** The two others elect one of them, and the one that is cut off knows no leader any more. */
  depose: () => void
  /**
   * The deposed one meets the others. With a tail it truncates that and ends by itself, with code 0, and nothing answers there until `startAgain`; answers
   * whether it did.
   */
  reunite: () => Promise<boolean>
  startAgain: () => Promise<void>
  /** Both followers end: appends have no answer, reads go on. */
  loseMajority: () => Promise<void>
  /** They are back, and take what the leader has kept. */
  regainMajority: () => Promise<void>
  close: () => Promise<void>
}>

const addressOf = ({ port }: EventStoreFixture) => ({ host: '127.0.0.1', port })

export async function startEventStoreCluster(): Promise<EventStoreCluster> {
  const first = await startEventStoreFixture()
  const others = await Promise.all([1, 2].map(() => startEventStoreFixture({ log: first.log })))
  const nodes = [first, ...others]
  let leader = first
  const away = new Set<EventStoreFixture>()
  /** Each node that is in touch says who leads. */
  const agree = (): void => {
    const present = nodes.filter((node) => !away.has(node))
    for (const { faults, port } of present) {
      const leads = port === leader.port
      faults.noLeader = false
      faults.notLeader = leads ? undefined : addressOf(leader)
      faults.followers = leads ? present.filter((node) => node !== leader).map(addressOf) : []
    }
  }
  const comeBack = (): void => {
    for (const node of away) if (node !== leader) node.rejoin('truncated')
    away.clear()
    agree()
  }
  agree()
  return {
    connectionString: `esdb://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false&discoveryInterval=20`,
    nodes,
    leader: () => leader,
    elect: (elected) => {
      const before = leader
      leader = elected
      agree()
      before.failSubscriptions()
    },
    cutOffLeader: () => {
      leader.cutOff()
      leader.faults.followers = []
      away.add(leader)
      return leader
    },
    depose: () => {
      const deposed = leader
      leader = nodes.find((node) => !away.has(node)) ?? leader
      agree()
      deposed.faults.noLeader = true
      deposed.failSubscriptions()
    },
    reunite: async () => {
      const ending = [...away].filter((node) => node.tail() > 0)
      for (const node of ending) await node.stop()
      if (ending.length === 0) comeBack()
      return ending.length > 0
    },
    startAgain: async () => {
      const ended = [...away]
      comeBack()
      for (const node of ended) await node.start()
    },
    loseMajority: async () => {
      leader.cutOff()
      leader.faults.followers = []
      for (const node of nodes) if (node !== leader) away.add(node)
      for (const node of away) await node.stop()
    },
    regainMajority: async () => {
      for (const node of away) await node.start()
      leader.rejoin('taken')
      comeBack()
    },
    close: async () => {
      for (const node of nodes) await node.close()
    },
  }
}
