import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { ADA, CraftedLog, craftProof, EVE, eventsOf, linesOf, minute, SIGNER, writeProof } from './craft-proof.testing.ts'
import { mutated, mutatedAnchor, randomOf } from './mutate-proof.testing.ts'
import { type Case, verifyMany } from './run-many.testing.ts'
import { python } from './run-verifiers.testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidings-agree-'))
afterAll(() => rmSync(folder, { recursive: true }))

const log = new CraftedLog(
  eventsOf(
    Array.from({ length: 9 }, (_, n) => ({
      contactId: n % 3 === 0 ? EVE : ADA,
      to: n % 2 === 0 ? 'subscribed' : 'unsubscribed',
      created: minute(n),
    })),
  ),
)
const heads = [2, 5].map((size) => log.head(size))
const PROOF = craftProof({ log, contactIds: [ADA, EVE], heads })
const ANCHOR = linesOf(heads)

const COUNT = 2_000
const BATCH = 1_000

/** Case `n` is the same in every run: to repeat one alone, write it by its number. */
const write = (n: number): Case => {
  const random = randomOf(n)
  const directory = join(folder, String(n % BATCH))
  writeProof(directory, random(8) === 0 ? PROOF : mutated(PROOF, random))
  writeFileSync(join(directory, 'anchor'), mutatedAnchor(ANCHOR, random))
  return { directory, trusted: SIGNER.fingerprint, anchor: random(3) === 0 ? null : join(directory, 'anchor') }
}

test.runIf(python)(`of ${COUNT} mutated proofs both verifiers say the same`, { timeout: 600_000 }, async () => {
  const oks: number[] = []
  for (let from = 0; from < COUNT; from += BATCH) {
    const cases = Array.from({ length: BATCH }, (_, n) => write(from + n))
    const { said, differing } = await verifyMany(cases)
    expect(differing.map((each) => ({ ...each, number: from + Number(each.case.directory.split('/').at(-1)) }))).toEqual([])
    for (const [n, { ok }] of said.entries()) if (ok) oks.push(from + n)
  }
  // The verifiers accept exports without a change, and hardly any other: a verifier that refuses all would agree with every other.
  expect(oks.length).toBeGreaterThan(COUNT / 50)
  expect(oks.length).toBeLessThan(COUNT / 4)
})

test('the verifier behind a link says what it says, whichever name of it node takes', async () => {
  const proof = join(folder, 'linked')
  writeProof(proof, PROOF)
  const link = join(folder, 'link')
  symlinkSync(fileURLToPath(new URL('../../../verifiers', import.meta.url)), link)
  const words = [join(link, 'verify.mjs'), proof, '--key', SIGNER.fingerprint]
  const run = async (...flags: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [...flags, ...words])).stdout
  expect(await run()).toMatch(/^OK: 2 contacts, /)
  expect(await run('--preserve-symlinks-main')).toMatch(/^OK: 2 contacts, /)
  expect(await run('--preserve-symlinks-main', '--preserve-symlinks')).toMatch(/^OK: 2 contacts, /)
})
