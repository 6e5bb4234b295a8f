import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { newAuthority } from '@tidings/testing/certificates'
import { KAFKA_USER, runBroker, startTestBroker, type TestBroker } from '@tidings/testing/kafka'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { freePort, launchProcess, rolesCommand, runTidings, startProcess } from './support/service-process.ts'

const kafka = await runBroker()
const WRONG = 'hunter2:wrong'
const loginWith = (password: string) => `scram-sha-512:${KAFKA_USER.name}:${password}`

let broker: TestBroker
let database: TestDatabase
let installation: Installation
let folder: string
let env: Readonly<Record<string, string>>
const file = async (name: string, content: string): Promise<string> => {
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

beforeAll(async () => {
  if (kafka === null) return
  folder = await mkdtemp(join(tmpdir(), 'tidings-kafka-'))
  broker = await startTestBroker({ secure: true })
  database = await testDatabase()
  installation = await install(database.url)
  env = {
    ...installation.env,
    TIDINGS_KAFKA_BROKERS: broker.secure?.both ?? '',
    TIDINGS_KAFKA_TLS: await file('ca.pem', broker.secure?.ca ?? ''),
    TIDINGS_KAFKA_SASL: loginWith(KAFKA_USER.password),
  }
})
afterAll(async () => {
  await installation?.close()
  await database?.drop()
  await broker?.stop()
  if (folder) await rm(folder, { recursive: true })
})

const kafkaFinding = async (more: Readonly<Record<string, string>>) => {
  const ran = await runTidings(['doctor', '--json'], { ...env, ...more })
  expect(ran.stdout + ran.stderr).not.toContain(WRONG)
  const { items } = JSON.parse(ran.stdout) as { items: readonly { check: string; ok: boolean; said: string }[] }
  return { code: ran.code, ...items.find(({ check }) => check === 'Kafka') }
}

describe.runIf(kafka !== null)('on a Kafka that asks for TLS and a login', () => {
  it('messages are sent through it', async () => {
    const service = await startProcess({ ...env, PORT: String(await freePort()) })
    try {
      const acme = clientOf({ url: service.url, applied: (await installation.workspace('acme')).applied, shown: installation.shown })
      const id = await acme.send('over-tls@example.com')
      expect(await acme.messageWith(id, 'sent')).toMatchObject({ status: 'sent' })
      expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^tidings_relay_leader.* 1$/m)
    } finally {
      await service.end('SIGTERM')
    }
  })

  it('doctor logs in, with the CA in a file or in NODE_EXTRA_CA_CERTS', async () => {
    const answers = { code: 0, ok: true, said: expect.stringMatching(/answers, 1 broker/) }
    expect(await kafkaFinding({})).toMatchObject(answers)
    expect(await kafkaFinding({ TIDINGS_KAFKA_TLS: '1', NODE_EXTRA_CA_CERTS: env.TIDINGS_KAFKA_TLS ?? '' })).toMatchObject(answers)
  })

  it('doctor says of a wrong password and of a wrong CA what is wrong', async () => {
    const refused = /^Kafka at \S+ refuses the login of TIDINGS_KAFKA_SASL: correct its mechanism, user or password\.$/
    expect(await kafkaFinding({ TIDINGS_KAFKA_SASL: loginWith(WRONG) })).toMatchObject({
      code: 1,
      ok: false,
      said: expect.stringMatching(refused),
    })
    const other = await file('other.pem', newAuthority('Another').cert)
    expect(await kafkaFinding({ TIDINGS_KAFKA_TLS: other })).toMatchObject({
      code: 1,
      ok: false,
      said: expect.stringContaining('is not trusted ('),
    })
  })

  it('a relay with a wrong password is not ready, says why, and logs no password', async () => {
    const settings = { ...env, TIDINGS_KAFKA_SASL: loginWith(WRONG), TIDINGS_LOG_LEVEL: 'debug', PORT: String(await freePort()) }
    const relay = launchProcess(settings, rolesCommand(['relay']))
    const received = await eventually(
      async () => (await fetch(`${relay.url}/health/ready`).catch(() => null))?.text() ?? '',
      (text) => text.includes('TIDINGS_KAFKA_SASL'),
    )
    const { stdout, stderr } = await relay.end('SIGTERM')
    expect(JSON.parse(received)).toMatchObject({
      notReady: expect.arrayContaining([{ name: 'relay', reason: expect.stringContaining('refuses the login') }]),
    })
    expect(stdout).toContain('refuses the login of TIDINGS_KAFKA_SASL')
    expect(received + stdout + stderr).not.toContain(WRONG)
    expect(received + stdout + stderr).not.toContain(Buffer.from(WRONG).toString('base64').replace(/=+$/, ''))
  })
})
