import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kafka, logLevel } from 'kafkajs'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { startTestBroker, type TestBroker } from '../../src/kafka/broker.ts'
import { askForBroker } from '../../src/kafka/broker-requests.ts'
import { brokerJars } from '../../src/kafka/jars.ts'
import { findJava } from '../../src/kafka/java.ts'
import { isReady } from '../../src/kafka/ready.ts'
import { runBroker } from '../../src/kafka/run-broker.ts'
import { until } from '../../src/until.ts'

const kafka = await runBroker()
let broker: TestBroker | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await broker?.stop()
  broker = undefined
})

const clientOf = (address: string) =>
  new Kafka({ brokers: [address], logLevel: logLevel.NOTHING, connectionTimeout: 60_000, retry: { retries: 10 } })

describe.runIf(kafka !== null)('the broker of the rig', () => {
  test('is one for the whole run', async () => {
    expect(await askForBroker(inject('testKafka').url)).toEqual({ address: kafka })
    await until(async () => expect(await isReady(kafka ?? '', null)).toBe(true))
  })

  test('keeps what it acknowledged over a kill, at the same address', async () => {
    broker = await startTestBroker()
    const client = clientOf(broker.address)
    const admin = client.admin()
    await admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 3 }] })
    const producer = client.producer()
    await producer.connect()
    await producer.send({ topic: 'kept', acks: -1, messages: [{ value: 'one', partition: 1 }] })
    await producer.disconnect()
    await broker.kill()
    expect(await isReady(broker.address, null)).toBe(false)
    await broker.start()
    const highs = (await admin.fetchTopicOffsets('kept')).sort((a, b) => a.partition - b.partition).map(({ high }) => high)
    expect(highs).toEqual(['0', '1', '0'])
    await admin.disconnect()
  })

  test.runIf(process.platform === 'linux')('dies with the process that started it, even when that is killed', async () => {
    const owner: ChildProcess = fork(fileURLToPath(new URL('./owner.testing.ts', import.meta.url)))
    const [{ address, folder }] = (await once(owner, 'message')) as [{ address: string; folder: string }]
    await until(async () => expect(await isReady(address, null)).toBe(true))
    owner.kill('SIGKILL')
    await until(async () => expect(await isReady(address, null)).toBe(false))
    await rm(folder, { recursive: true, force: true })
  })
})

describe('what a machine may lack is named, with the command that helps', () => {
  const empty = () => mkdtemp(join(tmpdir(), 'nothing-'))

  test('Java', async () => {
    vi.stubEnv('PATH', await empty())
    await expect(findJava({})).rejects.toThrow(/^JAVA_MISSING: .*apt-get install default-jre-headless/)
  })

  test('Maven, unless the jars are there already', async () => {
    vi.stubEnv('TIDINGS_TEST_KAFKA_CACHE', await empty())
    vi.stubEnv('PATH', await empty())
    await expect(brokerJars('4.3.1')).rejects.toThrow(/^MAVEN_MISSING: .*apt-get install maven/)
  })
})
