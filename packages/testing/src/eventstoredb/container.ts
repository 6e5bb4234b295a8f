import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type EventStoreContainer = Readonly<{ connectionString: string; restart: () => Promise<void>; stop: () => Promise<void> }>

const IMAGE = 'eventstore/eventstore:23.10.1-bookworm-slim'
const PORT = 2113
const DOCKER_SOCKET = '/var/run/docker.sock'

/** Whether a container can be started here; asks the socket, without loading testcontainers. */
export function dockerAnswers(): Promise<boolean> {
  if (process.env.DOCKER_HOST !== undefined) return Promise.resolve(true)
  return new Promise((resolve) => {
    const socket = connect(DOCKER_SOCKET)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** The real server, one node without TLS, its log on the container's disk. The port stays the same over restarts. */
export async function startEventStoreContainer(): Promise<EventStoreContainer> {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers')
  await getContainerRuntimeClient()
  const container = await new GenericContainer(IMAGE)
    .withExposedPorts({ container: PORT, host: 22_113 })
    .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_STATS_PERIOD_SEC: '86400' })
    .withWaitStrategy(Wait.forHttp('/health/live', PORT).forStatusCode(204))
    .start()
  const url = `http://${container.getHost()}:22113/health/live`
  return {
    connectionString: `esdb://${container.getHost()}:22113?tls=false`,
    restart: async () => {
      await container.restart()
      while (
        !(await fetch(url)
          .then((answer) => answer.ok)
          .catch(() => false))
      )
        await pause(100)
    },
    stop: async () => {
      await container.stop()
    },
  }
}
