import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dockerAnswers } from '../eventstoredb/container.ts'
import { startTestBroker } from './broker.ts'
import { kafkaVersion } from './jars.ts'
import { isReady } from './ready.ts'
import { KafkaSetupError } from './setup-error.ts'

/** Serves the workers of a test run that ask for its broker. `url` is for `askForBroker`. */
export type BrokerRequests = Readonly<{ url: string; stop: () => Promise<void> }>

/**
 * Gives a test run one broker, started when the first test file asks for it. The process that runs the tests owns it: a worker may
 * end before the others are through.
 */
export async function serveBrokerRequests(): Promise<BrokerRequests> {
  let broker: Promise<FoundBroker> | null = null
  const server = createServer((_, response) => {
    broker ??= findBroker()
    broker.then(
      ({ address }) => response.end(JSON.stringify({ address })),
      (error: Error) => response.end(JSON.stringify({ missing: error.message })),
    )
  })
  const url = await listening(server)
  return {
    url,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await broker?.then(({ stop }) => stop()).catch(() => undefined)
    },
  }
}

export type Answer = Readonly<{ address: string }> | Readonly<{ missing: string }>

export async function askForBroker(url: string): Promise<Answer> {
  return (await (await fetch(url)).json()) as Answer
}

const listening = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })

type FoundBroker = Readonly<{ address: string; stop: () => Promise<void> }>

const GIVEN_LOOKS = 10

/** The broker that TIDINGS_TEST_KAFKA names, else one from the jars of Maven Central, else one in a container. */
async function findBroker(env: Readonly<Record<string, string | undefined>> = process.env): Promise<FoundBroker> {
  const given = env.TIDINGS_TEST_KAFKA
  if (given) {
    // One look gives up after two seconds, which a busy machine uses up.
    for (let looks = 0; looks < GIVEN_LOOKS; looks++) if (await isReady(given, null)) return { address: given, stop: async () => undefined }
    throw new KafkaSetupError('START_FAILED', `no broker answers at ${given}, which TIDINGS_TEST_KAFKA names.`)
  }
  try {
    return await startTestBroker()
  } catch (error) {
    if (!(await dockerAnswers())) throw error
    return await startBrokerContainer()
  }
}

/** A broker in a container, where Docker answers. Its port is fixed, because a broker tells its clients where it is. */
async function startBrokerContainer(): Promise<Readonly<{ address: string; stop: () => Promise<void> }>> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const address = '127.0.0.1:29092'
  const container = await new GenericContainer(`apache/kafka:${kafkaVersion()}`)
    .withExposedPorts({ container: 29_092, host: 29_092 })
    .withEnvironment({
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_NODE_ID: '1',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:29093',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENERS: 'PLAINTEXT://:29092,CONTROLLER://:29093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${address}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start()
  return {
    address,
    stop: async () => {
      await container.stop()
    },
  }
}
