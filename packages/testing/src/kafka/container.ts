import { kafkaVersion } from './jars.ts'

/** A broker in a container, where Docker answers. Its port is fixed, because a broker tells its clients where it is. */
export async function startBrokerContainer(): Promise<Readonly<{ address: string; stop: () => Promise<void> }>> {
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
