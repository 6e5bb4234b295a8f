import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'

/** `projection rebuild --beside`, `diff` and `swap` while the service runs. */
let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let acme: Client

beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  service = await installation.start()
  acme = await installation.workspace('acme')
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await installation?.close()
  await database?.drop()
})

const create = async (name: string): Promise<string> =>
  dataOf<{ id: string }>(await acme.request('POST', '/public/profiles', { email: `${name}@example.com`, firstName: name }), 201).id
const firstName = async (id: string): Promise<unknown> =>
  dataOf<{ firstName: string }>(await acme.request('GET', `/public/profiles/${id}`), 200).firstName
const projection = (...args: readonly string[]) => installation.tidings(['projection', ...args])
const refused = async (...args: readonly string[]) => (await runTidings(['projection', ...args], installation.env)).stderr

it('builds, compares, swaps and swaps back, and every write is read right after it', async () => {
  const ada = await create('ada')
  expect(await refused('swap', 'profiles')).toContain('run `tidings projection rebuild profiles --beside` first')
  expect(await projection('rebuild', 'profiles', '--beside')).toMatchObject({ name: 'profiles', parked: 0 })
  const bob = await create('bob')
  expect(await projection('diff', 'profiles')).toMatchObject({ name: 'profiles', same: true, versions: { live: expect.any(Number) } })
  await installation.pool.query(`update read.profiles set first_name = 'Eve' where id = $1`, [ada])
  const differing = await projection('diff', 'profiles', '--first', '3')
  expect(differing).toMatchObject({
    same: false,
    tables: expect.arrayContaining([expect.objectContaining({ table: 'profiles', different: 1 })]),
  })
  expect(JSON.stringify(differing)).not.toContain('Eve')
  expect(JSON.stringify(await projection('diff', 'profiles', '--values'))).toContain('Eve')
  expect(await firstName(ada)).toBe('Eve')
  await projection('swap', 'profiles')
  expect([await firstName(ada), await firstName(bob)]).toEqual(['ada', 'bob'])
  const cat = await create('cat')
  expect(await firstName(cat)).toBe('cat')
  await projection('swap', 'profiles', '--back')
  expect([await firstName(ada), await firstName(bob), await firstName(cat)]).toEqual(['Eve', 'bob', 'cat'])
  expect(await refused('swap', 'nothing')).toContain('nothing')
})
