import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { httpsAnchor, openAnchor } from '../../../src/proof/anchor/anchor.ts'
import { lineOf } from '../../../src/proof/anchor/anchored-line.ts'
import { growTree } from '../../../src/proof/grow-tree.ts'
import { lastHead } from '../../../src/proof/heads.ts'
import { anchorNewestHead, signDueHead } from '../../../src/proof/keep-heads.ts'
import { openWorld, type World } from '../proof.testing.ts'

let world: World
let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-anchor-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  world = await openWorld('Postgres')
  file = join(folder, crypto.randomUUID())
})
afterEach(() => world.close())

const grow = async (): Promise<string> => {
  const { pool, key } = world
  await world.newContact('ada@example.com')
  await growTree(world)
  await signDueHead(pool, key, { everyMs: 0, everyEvents: 1 }, () => new Date())
  return lineOf((await lastHead(pool, key))!)
}
const keepIn = async (path: string): Promise<void> => {
  await anchorNewestHead(world.pool, world.key, openAnchor(pathToFileURL(path).href))
}
const forgetAnchored = () => world.pool.query('update proof.head set anchored_at = null')

test('a file gets one line a head, each once, whatever was torn by a crash or repeated', async () => {
  const first = await grow()
  await keepIn(file)
  await keepIn(file)
  expect(readFileSync(file, 'utf8')).toBe(`${first}\n`)
  await forgetAnchored()
  await keepIn(file)
  expect(readFileSync(file, 'utf8')).toBe(`${first}\n`)
  appendFileSync(file, '{"signature":"ab')
  const second = await grow()
  await keepIn(file)
  expect(readFileSync(file, 'utf8')).toBe(`${first}\n{"signature":"ab\n${second}\n`)
  expect(first).not.toMatch(/ada@|contact/)
})

test('a head behind a torn line is compared with the last that is whole', async () => {
  await grow()
  await keepIn(file)
  const kept = readFileSync(file, 'utf8').replace(/"root":"......../, '"root":"00000000')
  const { statement } = JSON.parse(kept)
  const forged = `${lineOf({ signature: world.key.sign(statement), statement })}\n{"signature":"${'0'.repeat(5_000)}`
  writeFileSync(file, forged)
  await grow()
  await expect(keepIn(file)).rejects.toThrow('are not those of the tree head of')
  expect(readFileSync(file, 'utf8')).toBe(forged)
})

test('a head that does not continue what is anchored is refused, and named', async () => {
  await grow()
  await grow()
  await keepIn(file)
  const kept = readFileSync(file, 'utf8')
  // This is the state after the restore of a backup: the log, and the tree with it, are older.
  await world.pool.query(
    `truncate proof.tree, proof.tile, proof.head; set es.allow_rewrite = 'on'; delete from es.event where position > 2; reset es.allow_rewrite`,
  )
  const store = postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS })
  await growTree({ pool: world.pool, store })
  await signDueHead(world.pool, world.key, { everyMs: 0, everyEvents: 1 }, () => new Date())
  await expect(keepIn(file)).rejects.toThrow('A tree head of 4 events was signed at')
  expect(readFileSync(file, 'utf8')).toBe(kept)
  await store.close()
})

test('a file of something else, or of another log, is left alone', async () => {
  await grow()
  for (const content of ['shopping list\n', 'a document of one line', '0123456789'.repeat(10_000)]) {
    writeFileSync(file, content)
    await expect(keepIn(file)).rejects.toThrow('has no line that is a tree head: name another file.')
    expect(readFileSync(file, 'utf8')).toBe(content)
  }
  const other = join(folder, 'other')
  await keepIn(other)
  writeFileSync(other, readFileSync(other, 'utf8').replace(/"log":"....../, '"log":"000000'))
  await forgetAnchored()
  await expect(keepIn(other)).rejects.toThrow('that were not signed by the key of this log')
})

test('a server gets each head until it takes it; one that holds another history refuses', async () => {
  const statuses = [500, 204, 409]
  const taken: string[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    taken.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`)
    response.writeHead(statuses.shift() ?? 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const anchor = httpsAnchor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`)
  const keep = () => anchorNewestHead(world.pool, world.key, anchor)
  const first = await grow()
  await expect(keep()).rejects.toThrow(/answered 500\.$/)
  await keep()
  await keep()
  expect(taken).toEqual(Array.from({ length: 2 }, () => `POST /heads application/json ${first}`))
  await grow()
  await expect(keep()).rejects.toThrow(/refuses the tree head of 4 events: it holds another\.$/)
  await anchor.close()
  server.close()
})
