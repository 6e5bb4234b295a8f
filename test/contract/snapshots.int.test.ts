import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, cookiesOf, newOperator } from '../e2e/support/users.ts'
import { startWorld, type World } from '../e2e/support/world.ts'
import { writePython } from './clients/write-python.ts'
import { writeTypescript } from './clients/write-typescript.ts'
import type { OpenApi } from './openapi.ts'
import { schemaText } from './schema-text.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
  // Returns when every projection has made its tables.
  await world.workspace('acme')
})
afterAll(() => world.stop())

// Committed, so that a change of the public contract or of the stored shape is seen in review. `npm run snapshots` writes them anew.

it('the OpenAPI document is the committed one', async () => {
  const text = await (await fetch(`${world.url}/openapi.json`)).text()
  expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', info: { version: '2026-01' } })
  await expect(text).toMatchFileSnapshot('./openapi.snapshot.json')
})

it('the document of the dashboard is the committed one', async () => {
  const { token } = await newOperator(world.stores)
  const answer = await call(world.url, 'POST /auth/link', { body: { token } })
  const headers = { Cookie: `sender_session=${cookiesOf(answer).sender_session}` }
  const text = await (await fetch(`${world.url}/api/v1/dashboard/openapi.json`, { headers })).text()
  await expect(text).toMatchFileSnapshot('./dashboard.openapi.snapshot.json')
})

it('the generated parts of the clients are written from that document', async () => {
  const api = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApi
  for (const [name, text] of Object.entries(await writeTypescript(api)))
    await expect(text).toMatchFileSnapshot(`../../clients/typescript/src/generated/${name}`)
  for (const [name, text] of Object.entries(writePython(api)))
    await expect(text).toMatchFileSnapshot(`../../clients/python/src/tidings/_generated/${name}`)
})

it('every documented route says what a success looks like', async () => {
  const { paths } = (await (await fetch(`${world.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  const silent = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.keys(responses).some((status) => status.startsWith('2')) ? [] : [`${method} ${path}`],
    ),
  )
  expect(silent).toEqual([])
})

it('the schema of the database, migrated and projected, is the committed one', async () => {
  await expect(await schemaText(world.stores.pool)).toMatchFileSnapshot('./schema.snapshot.sql')
})
