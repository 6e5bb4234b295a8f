import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { newAuthority } from '@tidings/testing/certificates'
import { type EventStoreFixture, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installation, install } from './support/installation.ts'
import { runTidings } from './support/service-process.ts'

/** What a command says where the connection string and the port of the event store disagree about TLS. */
const authority = newAuthority('Tests')
const secured = createServer({ ...authority.issue('localhost'), ALPNProtocols: ['h2'] })
let database: TestDatabase
let folder: string
let plain: EventStoreFixture
let installation: Installation

beforeAll(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  await writeFile(join(folder, 'ca.pem'), authority.cert)
  plain = await startEventStoreFixture()
  secured.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => secured.listen(0, '127.0.0.1', resolve))
  installation = await install(database.url)
})
afterAll(async () => {
  secured.close()
  await installation.close()
  await plain.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const securedPort = (): number => (secured.address() as AddressInfo).port

const saidOf = async (connectionString: string): Promise<string> => {
  const { code, stderr } = await runTidings(['projection', 'list'], { ...installation.env, TIDINGS_EVENT_STORE: connectionString })
  expect(code).toBe(1)
  return stderr
}

describe('a command whose event store', () => {
  it('speaks TLS, where the string says otherwise, says so in one sentence', async () => {
    const port = securedPort()
    expect(await saidOf(`esdb://localhost:${port}?tls=false`)).toBe(
      `The event store localhost:${port} cannot be used: localhost:${port} speaks TLS: write tls=true instead of tls=false.\n`,
    )
  })

  it('does not speak TLS, where the string says that it does, says so in one sentence', async () => {
    const { port } = plain
    expect(await saidOf(`esdb://localhost:${port}?tls=true`)).toBe(
      `The event store localhost:${port} cannot be used: localhost:${port} does not speak TLS: write tls=false instead of tls=true.\n`,
    )
    expect(await saidOf(`esdb://localhost:${port}`)).toContain('write tls=false')
  })

  it('has an unknown certificate is refused with where to name its authority', async () => {
    expect(await saidOf(`esdb://localhost:${securedPort()}`)).toMatch(
      /the certificate of localhost:\d+ is not trusted \(\w+\): .* tlsCAFile\.\n$/,
    )
  })

  it('has a certificate for another name is refused with that reason', async () => {
    const file = encodeURIComponent(join(folder, 'ca.pem'))
    expect(await saidOf(`esdb://127.0.0.1:${securedPort()}?tls=true&tlsCAFile=${file}`)).toContain('is for another name')
  })

  it('is not there is reported as not answering', async () => {
    const { port, close } = await startEventStoreFixture()
    await close()
    expect(await saidOf(`esdb://127.0.0.1:${port}?tls=false`)).toMatch(
      / does not answer \(.+\): start it, or correct TIDINGS_EVENT_STORE\.\n$/,
    )
  })

  it('prefers the leader, as is done anyway, is used', async () => {
    const changes = { TIDINGS_EVENT_STORE: `${plain.connectionString}&nodePreference=leader` }
    expect(await runTidings(['projection', 'list'], { ...installation.env, ...changes })).toMatchObject({ code: 0, stderr: '' })
  })
})
