import { readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memoryKeyRing } from '@tidings/codec'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canonical } from '../../verifiers/verify.mjs'
import { openAnchor } from '../anchor/anchor.ts'
import type { SignedHead } from '../heads.ts'
import { anchorNewestHead } from '../keep-heads.ts'
import { openLogKey } from '../log-key.ts'
import { openWorld, type World } from '../proof.testing.ts'
import { forge, type Json, verified } from './run-verifiers.testing.ts'

let world: World
let folder: string
let ada: string
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
  ada = await world.newContact('ada@example.com')
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

test('an export made with an old copy of the anchor is verified with it, one made without is not', async () => {
  const newest = heads.at(-1)?.statement.size
  expect(heads).toHaveLength(3)
  expect(newest).toBeLessThan(size)
  expect((await check(made)).said).toMatchObject({
    ok: true,
    notes: expect.arrayContaining(['2 of the tree heads in the export are in the anchor.']),
  })
  expect((await check(made, inFolder('anchor'))).said).toMatchObject({ ok: true })
  await world.exportTo(inFolder('without'), ada)
  expect((await check(inFolder('without'))).said.problems).toEqual([
    `The export leaves out the newest tree head of the anchor before its own, that of ${newest} events: the log was rewritten after it, or this copy of the anchor is older than the export. Have an export made with this copy (consent export --anchor), and verify again.`,
  ])
})

test('a copy that was cut off counts up to its last whole line, and one that ends where the log does is a copy too', async () => {
  const cut = anchorOf('cut', readFileSync(copy, 'utf8').slice(0, -100))
  await world.exportTo(inFolder('of-cut'), ada, { anchorFile: cut })
  expect((await check(inFolder('of-cut'), cut)).said).toMatchObject({ ok: true })
  expect((await check(inFolder('of-cut'))).said.problems).toHaveLength(1)
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
  expect(await refusal(lines(heads[2]!).slice(0, 200))).toBe('FILE has no tree head.')
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
