import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkAddresses } from '../../src/doctor/addresses.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query(`create schema if not exists read;
    create table read.workspaces (workspace_id uuid, slug text);
    create table read.profiles (workspace_id uuid, id uuid, email text)`)
})
afterAll(() => database.drop())

const [acme, other] = [asWorkspaceId(crypto.randomUUID()), asWorkspaceId(crypto.randomUUID())]
const contact = async (workspaceId: WorkspaceId, email: string | null): Promise<string> => {
  const id = crypto.randomUUID()
  await database.pool.query('insert into read.profiles values ($1, $2, $3)', [workspaceId, id, email])
  return id
}

it('names the contacts that have one address, by their ids alone', async () => {
  await database.pool.query(`insert into read.workspaces values ($1, 'acme'), ($2, 'other')`, [acme, other])
  for (const workspaceId of [acme, other]) for (const email of ['ann@bücher.example', null, null]) await contact(workspaceId, email)
  expect(await checkAddresses(database)).toMatchObject({ ok: true })
  const ids = [await contact(acme, 'bob@x.example'), await contact(acme, 'bob@x.example')].sort()
  const found = await checkAddresses(database)
  expect(found).toMatchObject({ check: 'addresses', ok: false, said: expect.stringContaining(`${ids.join(' and ')} of acme`) })
  expect(JSON.stringify(found)).not.toContain('bob')
  for (let n = 0; n < 9; n++) for (const _ of 'ab') await contact(other, `n${n}@x.example`)
  expect((await checkAddresses(database)).said).toMatch(/(; [^;]+){4}; and more$/)
})
