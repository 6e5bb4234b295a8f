import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperationFailed } from '@tidings/config'
import { makeFolder } from '@tidings/config/make-folder'
import { canonical, verifyFiles } from '../../../verifiers/verify.mjs'
import type { LogKey } from '../log-key.ts'
import { type Statements, signedProof } from './document.ts'
import { type Opened, reportHtml } from './report.ts'

const sourceOf = (name: string): Promise<string> => readFile(fileURLToPath(new URL(`../../../verifiers/${name}`, import.meta.url)), 'utf8')

const IMPORTED = /^import .* from '\.\/check-proof\.mjs'\n\nexport \* from '\.\/check-proof\.mjs'\n/m

/** The verifiers of an export are one file each: what verify.mjs imports of the check stands in the place of the import. */
async function verifiers(): Promise<readonly Readonly<{ name: string; bytes: Buffer }>[]> {
  const [program, check, python] = await Promise.all(['verify.mjs', 'check-proof.mjs', 'verify.py'].map(sourceOf))
  const [before, behind] = program!.split(IMPORTED)
  return [
    { name: 'verify.mjs', bytes: Buffer.from(`${before}\n${check}${behind}`) },
    { name: 'verify.py', bytes: Buffer.from(python!) },
  ]
}

type FolderContent = Readonly<{ statements: Statements; opened: Opened; key: LogKey }>

/** `isPrivate`: it has names and addresses of people in clear. */
export type ProofFile = Readonly<{ name: string; bytes: Buffer; isPrivate: boolean }>

/** The files of a proof, verified; the document comes last. */
export async function proofFiles({ statements, opened, key }: FolderContent): Promise<readonly ProofFile[]> {
  const report = reportHtml(statements, opened)
  const files = [
    { name: 'report.html', bytes: Buffer.from(report), isPrivate: true },
    ...(await verifiers()).map((file) => ({ ...file, isPrivate: false })),
    { name: 'proof.json', bytes: Buffer.from(canonical(signedProof(statements, report, key))), isPrivate: true },
  ]
  const { problems } = verifyFiles((name) => fileNamed(files, name), { trusted: key.fingerprint })
  if (problems.length > 0)
    throw new OperationFailed(`What the log holds cannot be proven: ${problems.slice(0, 5).join(' ')} Run \`tidings log verify\`.`)
  return files
}

const fileNamed = (files: readonly ProofFile[], wanted: string): Buffer => {
  const found = files.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`${wanted} is no file of a proof`)
  return found.bytes
}

/** Writes the files of a proof into a new or empty folder; leaves none of them when that fails. */
export async function writeFolder(directory: string, files: readonly ProofFile[]): Promise<void> {
  await makeFolder(directory, 0o700)
  try {
    for (const { name, bytes, isPrivate } of files)
      await writeFile(join(directory, name), bytes, { flush: true, ...(isPrivate && { mode: 0o600 }) })
  } catch (error) {
    for (const { name } of files) await rm(join(directory, name), { force: true })
    throw error
  }
}

/** Throws one sentence where the folder exists and has something in it. */
export async function assertNewOrEmpty(directory: string): Promise<void> {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new OperationFailed(`${directory} cannot be used as a folder (${error.code}): name a new or empty one with --out.`)
  })
  if (found.length > 0) throw new OperationFailed(`${directory} is not empty: name a new or empty folder with --out.`)
}
