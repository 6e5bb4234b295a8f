import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { OperationFailed } from '@tidings/config'

type Terminal = Readonly<{ input: Readable & Readonly<{ isTTY?: boolean }>; output: Writable & Readonly<{ isTTY?: boolean }> }>

/** `act`: what would be done, in the words of the question. */
type Act = Readonly<{ act: string; yes: boolean }>

/** stdout belongs to the answer. */
const HERE: Terminal = { input: process.stdin, output: process.stderr }

/**
 * Returns when a person at the terminal, or `--yes`, says that something is to be done that cannot be taken back. Anything but `yes` is a
 * refusal, as is a call of a script without `--yes`.
 */
export async function confirm({ act, yes }: Act, { input, output }: Terminal = HERE): Promise<void> {
  if (yes) return
  if (!input.isTTY || !output.isTTY) throw new OperationFailed(`This cannot be undone: ${act}. Confirm it with --yes.`)
  const lines = createInterface({ input, output })
  // Ctrl-C and Ctrl-D end the question without an answer.
  const ended = once(lines, 'close').then(() => '')
  const answer = await Promise.race([lines.question(`This cannot be undone: ${act}. Type yes to go on: `), ended])
  lines.close()
  if (answer.trim().toLowerCase() !== 'yes') throw new OperationFailed('Nothing was changed.')
}
