import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestPostgres, type TestPostgres } from '@tidings/testing'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { startTestBroker, type TestBroker } from '@tidings/testing/kafka'
import { type Installation, install } from '../e2e/support/installation.ts'
import { type Stack, startStack } from '../e2e/support/stack.ts'
import { type Receiver, startReceiver } from '../e2e/support/webhook-receiver.ts'
import { type Relay, startRelay } from './everything.relay.ts'
import type { Api } from './kill-service.client.ts'
import { type ChaosEventStore, startChaosEventStore } from './kill-service.event-store.ts'

/** Every part of an installation in processes of their own, each of which can be taken away. */
export type World = Readonly<{
  postgres: TestPostgres
  /** Null where this machine has no Kafka: consumers then read the log directly. */
  broker: TestBroker | null
  eventStore: ChaosEventStore
  relay: Relay
  dns: DnsServer
  receiver: Receiver
  installation: Installation
  stack: Stack
  /** `demo` is under load all the time, `paused` is suspended and resumed, `hostile` wants to harm the others. */
  demo: Api
  paused: Api
  hostile: Api
  stop: () => Promise<void>
}>

/** `kafka`: whether consumers read from a broker of this run's own. */
export async function startWorld({ kafka }: Readonly<{ kafka: boolean }>): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  const [postgres, broker, eventStore, relay, dns, receiver] = await Promise.all([
    startTestPostgres(),
    kafka ? startTestBroker() : null,
    startChaosEventStore(join(folder, 'events')),
    startRelay(),
    startDnsServer(),
    startReceiver(),
  ])
  const installation = await install(postgres.url, {
    TIDINGS_EMAIL_PROVIDER: relay.url,
    TIDINGS_EVENT_STORE: eventStore.connectionString,
    TIDINGS_SEND_RETRY_SECONDS: '2,5,10,20,60,120,240',
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    TIDINGS_WEBHOOK_BACKOFF_MS: '2000',
    TIDINGS_DNS_SERVERS: dns.address,
    ...(broker && { TIDINGS_KAFKA_BROKERS: broker.address, TIDINGS_KAFKA_PREFIX: 'everything', TIDINGS_KAFKA_PARTITIONS: '3' }),
  })
  const stack = await startStack(installation.env)
  const workspace = async (slug: string): Promise<Api> => ({ url: stack.url, slug, key: (await installation.workspace(slug)).key })
  const [demo, paused, hostile] = [await workspace('demo'), await workspace('paused'), await workspace('hostile')]
  return {
    ...{ postgres, broker, eventStore, relay, dns, receiver, installation, stack, demo, paused, hostile },
    stop: async () => {
      await stack.stop()
      await Promise.all([installation.close(), receiver.close(), dns.close()])
      relay.stop()
      await Promise.all([postgres.stop(), broker?.stop(), eventStore.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
