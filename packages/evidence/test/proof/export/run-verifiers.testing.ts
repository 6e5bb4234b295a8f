import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { leftOut } from '@tidings/testing'
import { expect } from 'vitest'
import { verifyInPage } from '../../../verifiers/in-page.mjs'
import { canonical, exitOf, type Verified } from '../../../verifiers/verify.mjs'

export const python = spawnSync('python3', ['--version']).status === 0 || leftOut('python', 'there is no python3.')

type Ran = Readonly<{ status: number; said: Verified }>

const run = (program: string, words: readonly string[]): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = execFile(program, words, (error, stdout, stderr) => {
      const status = child.exitCode ?? -1
      if (stdout === '') reject(new Error(`${program} said nothing (${status}): ${stderr}`, { cause: error }))
      else resolve({ status, said: JSON.parse(stdout) as Verified })
    })
  })

const inPage = (directory: string, words: readonly string[]): Ran => {
  const after = (flag: string): string | null => (words.includes(flag) ? words[words.indexOf(flag) + 1]! : null)
  const anchor = after('--anchor')
  const readAnchor = anchor === null ? null : () => readFileSync(anchor)
  const said = verifyInPage((name) => readFileSync(join(directory, name)), { trusted: after('--key')?.toLowerCase() ?? null, readAnchor })
  return { status: exitOf(said), said }
}

/** What both verifiers of the folder and the dashboard's page say, which must be the same. Without python3 it is the word of two. */
export async function verified(directory: string, ...words: readonly string[]): Promise<Ran> {
  const byNode = await run(process.execPath, [join(directory, 'verify.mjs'), '--json', ...words])
  expect(inPage(directory, words)).toEqual(byNode)
  if (python) expect(await run('python3', ['-I', '-S', join(directory, 'verify.py'), '--json', ...words])).toEqual(byNode)
  return byNode
}

export type Json = { [name: string]: Json } & Json[]

/** The proof of a folder, rewritten in canonical form after `change`. What is signed in it is not signed again. */
export function forge(directory: string, change: (proof: Json) => void): void {
  const file = join(directory, 'proof.json')
  const proof = JSON.parse(readFileSync(file, 'utf8')) as Json
  change(proof)
  writeFileSync(file, canonical(proof))
}
