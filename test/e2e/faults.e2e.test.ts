import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openKeyRing } from '@tidings/codec'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, type Ran, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

const MASTER_KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'
const OTHER_KEY = 'ff112233445566778899aabbccddeeff00112233445566778899aabbccddee00'

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'tidings-faults-'))
  await openKeyRing({ pool: database.pool, masterKey: MASTER_KEY, previousMasterKeys: [] })
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const env = (changes: Readonly<Record<string, string>>) => ({ TIDINGS_MASTER_KEY: MASTER_KEY, TIDINGS_LOG_LEVEL: 'silent', ...changes })

/** One line that ends like a sentence and is no stack trace. */
const oneSentence = ({ code, stderr, stdout }: Ran): string => {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[A-Z][^\n]*\.\n$/)
  return stderr.trim()
}

describe('a start that cannot succeed ends with 1 and one sentence', () => {
  let taken: Server
  beforeAll(async () => {
    taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
  })
  afterAll(() => new Promise((resolve) => taken.close(resolve)))
  const takenPort = () => String((taken.address() as { port: number }).port)

  it('when the port is taken', async () => {
    const ran = await runTidings(['start'], env({ TIDINGS_DATABASE_URL: database.url, PORT: takenPort() }))
    expect(oneSentence(ran)).toContain(`Port ${takenPort()} of 127.0.0.1 is taken`)
  })

  it.each(['203.0.113.7', 'no-such-host.invalid'])('when HOST is %s, which is none of this machine', async (host) => {
    const ran = await runTidings(['start'], env({ TIDINGS_DATABASE_URL: database.url, HOST: host, PORT: '0' }))
    expect(oneSentence(ran)).toContain(`HOST ${host} cannot be listened on`)
  })

  it('when a variable is misspelt', async () => {
    const ran = await runTidings(['start'], env({ TIDINGS_DATABSE_URL: database.url, PORT: '0' }))
    expect(oneSentence(ran)).toBe('TIDINGS_DATABSE_URL is not a setting. The nearest one is TIDINGS_DATABASE_URL.')
  })

  it('when the data directory cannot be written', async () => {
    await writeFile(join(folder, 'a-file'), '')
    const ran = await runTidings(['start'], env({ TIDINGS_DATA_DIR: join(folder, 'a-file', 'below'), PORT: '0' }))
    expect(oneSentence(ran)).toContain('cannot be written')
  })

  it('when the master key is another one than the database was written with', async () => {
    const ran = await runTidings(['start'], env({ TIDINGS_DATABASE_URL: database.url, TIDINGS_MASTER_KEY: OTHER_KEY, PORT: '0' }))
    expect(oneSentence(ran)).toContain('TIDINGS_MASTER_KEY')
  })

  it('when the database cannot be reached', async () => {
    const port = await freePort()
    const ran = await runTidings(['start'], env({ TIDINGS_DATABASE_URL: `postgres://unknown:secret@127.0.0.1:${port}/none`, PORT: '0' }))
    const sentence = oneSentence(ran)
    expect(sentence).toContain(`127.0.0.1:${port}`)
    expect(sentence).not.toContain('secret')
  })

  it('when the database has no Tidings schema', async () => {
    const url = new URL(database.url)
    url.pathname = '/postgres'
    const ran = await runTidings(['start'], env({ TIDINGS_DATABASE_URL: url.href, PORT: '0' }))
    expect(oneSentence(ran)).toContain('tidings migrate')
  })

  it('when a setting is wrong', async () => {
    const ran = await runTidings(['start'], env({ PORT: 'http' }))
    expect(oneSentence(ran)).toContain('PORT')
  })
})

it('a role that there is not is wrong usage: it ends with 2, and says which there are', async () => {
  expect(await runTidings(['start', 'query-api', 'mailer'], env({}))).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'There is no role mailer: there are command-api, query-api, projectors, consumers, relay.\n',
  })
})

describe('a data directory', () => {
  let first: ServiceProcess
  const home = () => env({ TIDINGS_DATA_DIR: join(folder, 'home') })
  beforeAll(async () => {
    first = await startProcess({ ...home(), PORT: String(await freePort()) })
  })
  afterAll(() => first.end('SIGTERM'))

  it('serves one Tidings: a second one is refused in one sentence, and the first goes on', async () => {
    const ran = await runTidings(['start'], { ...home(), PORT: '0' })
    expect(oneSentence(ran)).toContain(`Another Tidings (process ${first.pid}) already runs on`)
    await first.ready()
  })
})
