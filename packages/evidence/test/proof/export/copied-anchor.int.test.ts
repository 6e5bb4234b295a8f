import { readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memoryKeyRing } from '@tidings/codec'
import { asContactId, type ContactId } from '@tidings/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAnchor } from '../../../src/proof/anchor/anchor.ts'
import type { SignedHead } from '../../../src/proof/heads.ts'
import { anchorNewestHead } from '../../../src/proof/keep-heads.ts'
import { openLogKey } from '../../../src/proof/log-key.ts'
import { canonical } from '../../../verifiers/verify.mjs'
import { openWorld, type World } from '../proof.testing.ts'
import { forge, type Json, verified } from './run-verifiers.testing.ts'

let world: World
let folder: string
let ada: ContactId
/** What the auditor got of the anchor, long ago: three heads, and then more came. */
let copy: string
let heads: readonly SignedHead[]
let size: number
let made: string
const inFolder = (name: string): string => join(folder, name)

const lines = (...of: readonly SignedHead[]): string => of.map((head) => `${canonical(head)}\n`).join('')
const anchorOf = (name: string, text: string): string => {
  writeFileSync(inFolder(name), text)
  return inFolder(name)
}
const check = (directory: string, anchor = copy) => verified(directory, '--key', world.key.fingerprint, '--anchor', anchor)
const refusal = async (text: string): Promise<unknown> => {
  const anchorFile = anchorOf('refused', text)
  return await world
    .exportTo(inFolder('nothing'), ada, { anchorFile })
    .catch((error: Error) => error.message.replaceAll(anchorFile, 'FILE'))
}

beforeAll(async () => {
  world = await openWorld('Postgres')
  folder = await mkdtemp(join(tmpdir(), 'tidings-copied-'))
  ada = asContactId(await world.newContact('ada@example.com'))
  const anchor = inFolder('anchor')
  const grow = async (name: string): Promise<void> => {
    await world.newContact(`${name}@example.com`)
    await world.exportTo(inFolder(name), ada)
    await anchorNewestHead(world.pool, world.key, openAnchor(pathToFileURL(anchor).href))
  }
  for (const name of ['eve', 'liz', 'zoe']) await grow(name)
  copy = anchorOf('copy', readFileSync(anchor, 'utf8'))
  heads = readFileSync(copy, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as SignedHead)
  for (const name of ['bea', 'joy']) await grow(name)
  await world.newContact('kim@example.com')
  made = inFolder('made')
  size = (await world.exportTo(made, ada, { anchorFile: copy })).size
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

test('an export has every head of a copy of the anchor, and is verified with that copy and with the anchor', async () => {
  const newest = heads.at(-1)?.statement.size
  expect(heads).toHaveLength(3)
  expect(newest).toBeLessThan(size)
  expect((await check(made)).said).toMatchObject({
    ok: true,
    notes: expect.arrayContaining(['3 of the tree heads in the export are in the anchor.']),
  })
  expect((await check(made, inFolder('anchor'))).said).toMatchObject({ ok: true })
  await world.exportTo(inFolder('without'), ada)
  expect((await check(inFolder('without'))).said.problems).toEqual([])
})

test('an export made without a copy whose heads are not in it is not verified with that copy', async () => {
  const { pool } = world
  const { rows } = await pool.query<{ size: bigint }>('select size from proof.head where anchored_at is not null')
  await pool.query('update proof.head set anchored_at = null')
  await world.exportTo(inFolder('unmarked'), ada)
  const problems = (await check(inFolder('unmarked'))).said.problems
  expect(problems).toEqual([
    expect.stringMatching(
      `^The export leaves out the newest tree head of the anchor before its own, that of ${heads[2]!.statement.size} events: the log was rewritten after it, or this copy of the anchor is older than the export. Have an export made with this copy`,
    ),
    expect.stringMatching(
      /^The export leaves out 1 older tree head of the anchor, from that of \d+ events on: the log may have been rewritten/,
    ),
  ])
  await pool.query('update proof.head set anchored_at = clock_timestamp() where size = any ($1)', [rows.map(({ size: each }) => each)])
})

test('a copy that was cut off is refused by name, and one that ends where the log does is a copy too', async () => {
  const cut = anchorOf('cut', readFileSync(copy, 'utf8').slice(0, -100))
  await expect(world.exportTo(inFolder('of-cut'), ada, { anchorFile: cut })).rejects.toThrow(
    'is damaged: it has no end. Get the copy anew.',
  )
  expect((await check(made, cut)).said.problems).toEqual([
    'The last line of the anchor is damaged: it has no end. A copy that was cut off shows less than the anchor has: get it anew.',
    'Line 3 of the anchor is no tree head.',
  ])
  // The whole head, and no newline: it is compared, and the copy is still not what the anchor is.
  const unended = anchorOf('unended', readFileSync(copy, 'utf8').slice(0, -1))
  expect((await check(made, unended)).said.problems).toHaveLength(1)
  expect((await check(made, unended)).said.notes).toContain('3 of the tree heads in the export are in the anchor.')
  const { head } = JSON.parse(readFileSync(join(made, 'proof.json'), 'utf8')) as Readonly<{ head: SignedHead }>
  const whole = anchorOf('whole', lines(head))
  await world.exportTo(inFolder('of-whole'), ada, { anchorFile: whole })
  expect((await check(inFolder('of-whole'), whole)).said).toMatchObject({ ok: true })
})

test('a copy that the log does not continue is refused before anything is written', async () => {
  const signed = (change: Partial<SignedHead['statement']>, key = world.key): SignedHead => {
    const statement = { ...heads[2]!.statement, ...change }
    return { statement, signature: key.sign(statement) }
  }
  const stranger = await openLogKey(memoryKeyRing())
  expect(await refusal(lines(heads[0]!, signed({ root: '0'.repeat(64) })))).toMatch(
    /^The first \d+ events are not those of the tree head of /,
  )
  expect(await refusal(lines(signed({ size: size + 9 })))).toMatch(/the log has \d+: it went back/)
  const notOurs = `The newest tree head in FILE was not signed by the key of this log (${world.key.fingerprint}).`
  expect(await refusal(lines(signed({ log: stranger.fingerprint }, stranger)))).toBe(notOurs)
  expect(await refusal(lines({ ...heads[2]!, signature: heads[1]!.signature }))).toBe(notOurs)
  expect(await refusal(`${lines(heads[2]!)}{"size":1}\n`)).toBe('Line 2 of FILE is no tree head: this is no copy of an anchor.')
  expect(await refusal(lines(heads[2]!).slice(0, 200))).toBe('The last line of FILE is damaged: it has no end. Get the copy anew.')
  expect(await refusal('\n')).toBe('FILE has no tree head.')
})

test('an export that was made to pass, by who has the key, does not', async () => {
  const forged = async (change: (proof: Json) => void): Promise<readonly string[]> => {
    await rm(inFolder('forged'), { recursive: true, force: true })
    await cp(made, inFolder('forged'), { recursive: true })
    forge(inFolder('forged'), (proof) => {
      change(proof)
      const { signature: _, ...rest } = proof
      Object.assign(proof, { signature: world.key.sign(rest) })
    })
    return (await check(inFolder('forged'))).said.problems
  }
  const { size: copied } = heads[2]!.statement
  const atOf = ({ earlierHeads }: Json): number => earlierHeads!.findIndex(({ head }) => Number(head?.statement?.size) === copied)
  expect(await forged((proof) => void proof.earlierHeads!.splice(atOf(proof), 1))).toEqual([
    expect.stringMatching(`^The export leaves out the newest tree head of the anchor before its own, that of ${copied} events`),
  ])
  expect(await forged((proof) => void proof.earlierHeads![atOf(proof)]!.path!.pop())).toEqual([
    `The earlier tree head of ${copied} events is of another history: the log was rewritten after it, or the proof was.`,
  ])
  const swapped = await forged((proof) => {
    const { head } = proof.earlierHeads![atOf(proof)]!
    Object.assign(head!.statement!, { root: 'f'.repeat(64) })
    Object.assign(head!, { signature: world.key.sign(head!.statement!) })
  })
  expect(swapped).toEqual([
    `The earlier tree head of ${copied} events is of another history: the log was rewritten after it, or the proof was.`,
    `The anchor has another root for the tree of ${copied} events: one of the two histories is forged.`,
  ])
})
