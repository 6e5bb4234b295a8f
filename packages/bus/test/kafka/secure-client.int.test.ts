import { newAuthority } from '@tidings/testing/certificates'
import { KAFKA_USER, runBroker, startTestBroker, type TestBroker } from '@tidings/testing/kafka'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, probeKafka } from '../../src/kafka/client.ts'
import { KafkaMisconfigured } from '../../src/kafka/explain.ts'
import { ensureTopic } from '../../src/kafka/relay/relay.ts'
import type { KafkaLog, KafkaSettings } from '../../src/kafka/settings.ts'

// Asked for the reason why this machine has no broker; the one of the run has plain listeners only.
const kafka = await runBroker()
const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const
const WRONG = 'hunter2:wrong'

let broker: TestBroker
let secure: NonNullable<TestBroker['secure']>
const lines: string[] = []
const line = (fields: Record<string, unknown>, message: string): void => void lines.push(JSON.stringify({ ...fields, message }))
const log: KafkaLog = { debug: line, info: line, warn: line, error: line }

beforeAll(async () => {
  if (kafka === null) return
  broker = await startTestBroker({ secure: true })
  if (broker.secure === null) throw new Error('the broker has no secure listeners')
  secure = broker.secure
})
afterAll(() => broker?.stop())

const to = (address: string, more: Partial<KafkaSettings> = {}): KafkaSettings => ({
  brokers: [address],
  prefix: 'secure',
  partitions: 3,
  log,
  ...more,
})
const login = (mechanism: (typeof MECHANISMS)[number], password: string = KAFKA_USER.password) => ({
  sasl: { mechanism, username: KAFKA_USER.name, password },
})
const trusting = (ca: string) => ({ tls: { ca } })

describe.runIf(kafka !== null)('a client of brokers that encrypt or ask for a login', () => {
  test.each(MECHANISMS)('logs in by %s, with and without TLS', async (mechanism) => {
    for (const settings of [to(secure.both, { ...trusting(secure.ca), ...login(mechanism) }), to(secure.sasl, login(mechanism))])
      expect(await ensureTopic(createClient(settings), { topic: 'secure.events', partitions: 3, fixed: false })).toBe(3)
  })

  test('trusts the CA that it is given', async () => {
    expect(await probeKafka(to(secure.tls, trusting(secure.ca)))).toBe(`${secure.tls} answers, 1 broker(s) in the cluster`)
  })

  test.each(MECHANISMS)('that has the wrong password for %s says so in one sentence', async (mechanism) => {
    const settings = to(secure.both, { ...trusting(secure.ca), ...login(mechanism, WRONG) })
    await expect(probeKafka(settings)).rejects.toThrow(
      new KafkaMisconfigured(`Kafka at ${secure.both} refuses the login of TIDINGS_KAFKA_SASL: correct its mechanism, user or password.`),
    )
  })

  test('that trusts another CA, or none of one’s own, says so in one sentence', async () => {
    const sentence =
      /^The certificate of Kafka at 127\.0\.0\.1:\d+ is not trusted \([^)]+\): set TIDINGS_KAFKA_TLS to the file of the CA that signed it, or renew it\.$/
    await expect(probeKafka(to(secure.tls, trusting(newAuthority('Another').cert)))).rejects.toThrow(sentence)
    await expect(probeKafka(to(secure.tls, { tls: {} }))).rejects.toThrow(sentence)
  })

  test('that asks for another name than the certificate’s says so', async () => {
    const address = secure.tls.replace('127.0.0.1', 'localhost')
    await expect(probeKafka(to(address, trusting(secure.ca)))).rejects.toThrow(
      `The certificate of Kafka at ${address} is for another name: `,
    )
  })

  test('that meets a port of another kind says what the port wants', async () => {
    const plain = broker.address
    await expect(probeKafka(to(plain, trusting(secure.ca)))).rejects.toThrow(`Kafka at ${plain} does not speak TLS on this port: `)
    await expect(probeKafka(to(plain, login('plain')))).rejects.toThrow(`Kafka at ${plain} takes no login on this port: `)
    await expect(probeKafka(to(secure.both))).rejects.toThrow('it may want TIDINGS_KAFKA_TLS or TIDINGS_KAFKA_SASL)')
    await expect(probeKafka(to(secure.both, trusting(secure.ca)))).rejects.toThrow('it may want TIDINGS_KAFKA_SASL)')
    await expect(probeKafka(to('127.0.0.1:1'))).rejects.toThrow(/^Kafka at 127\.0\.0\.1:1 cannot be used \(connect ECONNREFUSED/)
  })

  test('writes no password into its log, however it is encoded', () => {
    expect(lines.join('')).toContain('authentication failed')
    for (const password of [KAFKA_USER.password, WRONG])
      for (const text of [password, Buffer.from(password).toString('base64').replace(/=+$/, ''), Buffer.from(password).toString('hex')])
        expect(lines.join('')).not.toContain(text)
  })
})
