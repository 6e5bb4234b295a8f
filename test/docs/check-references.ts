// Every rule id, path, package, script, contract section and ADR that a comment or a page names must exist: `npm run check:references`.
import { execFileSync } from 'node:child_process'
import { ROOT, readPage } from './markdown.ts'
import { deadReferencesIn, targetsOf } from './references.ts'

const COMMENTED = /\.(ts|mjs|sql|ya?ml|sh|md)$|Caddyfile$|Dockerfile$/

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
const deleted = execFileSync('git', ['ls-files', '--deleted'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
const files = listed.split('\n').filter((file) => file !== '' && !deleted.includes(file))
const targets = targetsOf(files)
const dead = files.filter((file) => COMMENTED.test(file)).flatMap((file) => deadReferencesIn(file, readPage(file), targets))

for (const { file, line, reference, why } of dead) process.stderr.write(`${file}:${line}: ${reference}: ${why}\n`)
if (dead.length > 0) process.exitCode = 1
