import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperationFailed } from '@tidings/config'
import { exitOf, headline, verifyFolder } from '@tidings/evidence/verifier'
import { printAnswer, WrongUsage } from '../terminal/answer.ts'

type ConsentVerifyOptions = Readonly<{ key?: string; anchor?: string; json: boolean }>

const FINGERPRINT = /^[0-9a-f]{64}$/

/** `tidings consent verify`: as the verifiers in the folder do it, with the one that this version would write. */
export async function verify(folder: string, { key, anchor, json }: ConsentVerifyOptions): Promise<void> {
  const trusted = key?.toLowerCase() ?? null
  if (trusted !== null && !FINGERPRINT.test(trusted)) throw new WrongUsage('--key takes a fingerprint of 64 hexadecimal digits.')
  if (anchor !== undefined && !existsSync(anchor)) throw new OperationFailed(`There is no file ${anchor}.`)
  const result = verifyFolder(resolve(folder), { trusted, anchor: anchor ?? null })
  const { problems, notes } = result
  printAnswer({ json: result, lines: [headline(result), ...problems.map((problem) => `- ${problem}`), ...notes] }, json)
  process.exitCode = exitOf(result)
}
