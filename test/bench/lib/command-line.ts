import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string; tidings: string } }

/** What `npm start` and `npm run tidings` run, flags included: `exec node …`, its file named from the root. */
const nodeArguments = (script: string): readonly string[] =>
  script
    .split(' ')
    .slice(2)
    .map((word) => (/\.m?[jt]s$/.test(word) ? join(root, word) : word))

export const START = nodeArguments(scripts.start)
export const TIDINGS = nodeArguments(scripts.tidings)
