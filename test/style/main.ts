import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDirections } from './find-directions.ts'
import { findFragments } from './find-fragments.ts'
import { findIdioms } from './find-idioms.ts'
import { findTestIdioms } from './find-test-idioms.ts'
import { findWords, parseWordList } from './find-words.ts'

// `npm run check:words` and `npm run check:idioms`: prints `file:line: what to write instead`, and fails where there is anything to print.
const ROOT = join(import.meta.dirname, '../..')
const TEXT = /\.(tsx?|css|mjs|js|md|ya?ml|json|jsonc|sh|toml|sql|conf|env|example)$|\/(Dockerfile|run)$/

const checks = {
  words: findWords(parseWordList(readFileSync(join(import.meta.dirname, 'words.md'), 'utf8'))),
  idioms: (file: string, text: string) => [
    ...(/\.tsx?$/.test(file) ? [...findIdioms(file, text), ...findTestIdioms(file, text)] : []),
    ...findDirections(file, text),
    ...findFragments(file, text),
  ],
}
const check = checks[process.argv[2] as keyof typeof checks]

const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
/** Their sentences stand in the schemas that they are written from. */
const GENERATED = /^clients\/.*generated\//

const files = list.split('\n').filter((file) => TEXT.test(file) && !GENERATED.test(file) && existsSync(join(ROOT, file)))
const findings = files.flatMap((file) => check(file, readFileSync(join(ROOT, file), 'utf8')))
for (const { file, line, message } of findings) console.error(`${file}:${line}: ${message}`)
if (findings.length > 0) process.exitCode = 1
