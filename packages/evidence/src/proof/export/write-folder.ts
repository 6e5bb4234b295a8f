import { copyFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperationFailed } from '@tidings/config'
import { makeFolder } from '@tidings/config/make-folder'
import { canonical, verifyFolder } from '../../../verifiers/verify.mjs'
import type { LogKey } from '../log-key.ts'
import { type Statements, signedProof } from './document.ts'
import { type Opened, reportHtml } from './report.ts'

const VERIFIERS = ['verify.mjs', 'verify.py'] as const
const FILES = ['report.html', ...VERIFIERS, 'proof.json'] as const

const verifierAt = (name: (typeof VERIFIERS)[number]): string => fileURLToPath(new URL(`../../../verifiers/${name}`, import.meta.url))

type FolderContent = Readonly<{ statements: Statements; opened: Opened; key: LogKey }>

const writeAll = async (directory: string, { statements, opened, key }: FolderContent): Promise<void> => {
  const report = reportHtml(statements, opened)
  await writeFile(join(directory, 'report.html'), report, { mode: 0o600 })
  for (const name of VERIFIERS) await copyFile(verifierAt(name), join(directory, name))
  await writeFile(join(directory, 'proof.json'), canonical(signedProof(statements, report, key)), { mode: 0o600, flush: true })
  const { problems } = verifyFolder(directory, { trusted: key.fingerprint })
  if (problems.length > 0)
    throw new OperationFailed(`What the log holds cannot be proven: ${problems.slice(0, 5).join(' ')} Run \`tidings log verify\`.`)
}

/** Writes the files of a proof into a new or empty folder, and verifies them there; leaves none of them when that fails. */
export async function writeFolder(directory: string, content: FolderContent): Promise<void> {
  await makeFolder(directory, 0o700)
  try {
    await writeAll(directory, content)
  } catch (error) {
    for (const name of FILES) await rm(join(directory, name), { force: true })
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
