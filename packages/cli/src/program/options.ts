import { InvalidArgumentError } from 'commander'

/** An option of every command. */
export const json = ['--json', 'print one JSON document on stdout and nothing else', false] as const

/** An option of every command about one workspace. */
export const ofWorkspace = ['--workspace <slug>', 'the workspace'] as const

const MOST_THREADS = 16

/** A number of threads, from 1 on. */
export function threadCount(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > MOST_THREADS) throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_THREADS}.`)
  return count
}
