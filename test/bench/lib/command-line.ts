import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `BENCH_TREE`: another checkout, installed, whose service is measured in the place of this one's. */
const root = process.env.BENCH_TREE ?? join(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string; tidings: string } }

/** What `npm start` and `npm run tidings` run, flags included: `exec node …`, its file named from the root. */
const nodeArguments = (script: string): readonly string[] =>
  script
    .split(' ')
    .slice(script.split(' ').indexOf('node') + 1)
    .map((word) => (/\.m?[jt]s$/.test(word) ? join(root, word) : word))

/** What a script sets before it runs. */
const settingsOf = (script: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...script.matchAll(/(?<=^| )([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name ?? '', value ?? '']))

export const START_ENV = settingsOf(scripts.start)
export const START = nodeArguments(scripts.start)
export const TIDINGS = nodeArguments(scripts.tidings)
